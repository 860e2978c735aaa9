#include "awele/support/text.hpp"

#include "awele/support/error.hpp"

namespace awele {

std::string_view wide_encoding(std::string_view beginning) {
  const auto begins = [&](std::string_view mark) { return beginning.starts_with(mark); };
  if (begins(std::string_view("\xFF\xFE\0\0", 4)) || begins(std::string_view("\0\0\xFE\xFF", 4)))
    return "UTF-32";
  if (begins("\xFF\xFE") || begins("\xFE\xFF")) return "UTF-16";
  // Without a mark: of every character of ASCII one byte is 0, and no other text holds such bytes.
  const auto zero = [&](std::size_t k) { return beginning[k] == '\0'; };
  if (beginning.size() < 2 || zero(0) == zero(1)) return "";
  if (beginning.size() < 4) return "UTF-16";
  return zero(2) == zero(0) && zero(3) == zero(1) ? "UTF-16" : "";
}

std::string refuse_wide(std::string_view encoding, const std::string& name) {
  const std::string is(encoding);
  return name + " is " + is + " text, which is not read; save it as UTF-8 (iconv -f " + is + " -t UTF-8)";
}

std::string plain_text(std::string_view bytes, const std::string& name) {
  if (const auto encoding = wide_encoding(bytes); !encoding.empty())
    throw Error(ExitCode::usage, refuse_wide(encoding, name));
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    if (bytes[k] != '\r')
      text += bytes[k];
    else if (k + 1 == bytes.size() || bytes[k + 1] != '\n')
      text += '\n';
  }
  return text;
}

}  // namespace awele
