// The files of the page, compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace awele::web {

struct PageFile {
  std::string_view path;  ///< as in a request: "/app.js"
  std::string_view type;  ///< Content-Type
  std::string_view text;
};

std::span<const PageFile> page_files();

}  // namespace awele::web
