// The query of a request: names and values, decoded.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace awele::web {

/// What becomes a problem response.
class Problem : public std::runtime_error {
 public:
  Problem(int status, std::string code, const std::string& detail)
      : std::runtime_error(detail), status_(status), code_(std::move(code)) {}
  int status() const { return status_; }
  const std::string& code() const { return code_; }

 private:
  int status_;
  std::string code_;
};

class Query {
 public:
  /// Throws Problem 400 for a name that is not among `known` or stands there twice, and for bad percent
  /// codes.
  Query(std::string_view text, std::initializer_list<std::string_view> known);

  bool has(const std::string& name) const { return values_.contains(name); }
  /// The value, or `otherwise` when the name is not there.
  std::string get(const std::string& name, std::string otherwise = {}) const;
  /// A decimal number within low..high, with an optional minus sign; `otherwise` when the name is not there.
  /// Throws Problem 400.
  int number(const std::string& name, int low, int high, int otherwise) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace awele::web
