// Text as people have it: with a byte order mark, with lines that end in CR LF or CR, in UTF-16.
#pragma once

#include <string>
#include <string_view>

namespace awele {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// "UTF-16" or "UTF-32" when the bytes that a text begins with are of such an encoding, which nothing here
/// reads; otherwise "". Four bytes are enough to tell, two mostly are.
std::string_view wide_encoding(std::string_view beginning);
/// One sentence that names the text, the encoding and the remedy.
std::string refuse_wide(std::string_view encoding, const std::string& name);

/// The text without a byte order mark, each line ended by LF alone. Throws Error (usage) that names `name`
/// when the text is UTF-16 or UTF-32.
std::string plain_text(std::string_view bytes, const std::string& name);

}  // namespace awele
