#!/bin/sh
# Makes the manual pages and the completion for bash out of what the program says of itself.
#
#   manual.sh PROGRAM FOLDER     FOLDER/man1/awele.1, awele-COMMAND.1 ...; FOLDER/completions/awele
set -eu
program=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/man1" "$folder/completions"
version=$("$program" --version | sed "s/ (.*//")  # without the commit: the pages are the same for the same sources

# page WORDS...: the page of a command, from its --help.
page() {
  title=$(echo "awele $*" | sed 's/ *$//; s/ /-/g')
  "$program" "$@" --help | awk -v title="$title" -v version="$version" '
    function plain(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return text }
    function line(text) { text = plain(text); return text ~ /^[.\047]/ ? "\\&" text : text }
    function is_head(k) { return !footer && lines[k] ~ /^[A-Z].*:$/ && (lines[k + 1] ~ /^  -/ || lines[k] ~ /^(Subcommands|Positionals):$/) }
    { lines[NR] = $0 }
    END {
      printf ".TH %s 1 \"\" \"%s\" \"User commands\"\n", plain(toupper(title)), version
      printf ".SH NAME\n%s \\- %s\n", plain(title), plain(lines[1])
      sub(/^Usage: /, "", lines[2])
      printf ".SH SYNOPSIS\n%s\n", plain(lines[2])
      for (k = 3; k <= NR; ++k) {
        if (is_head(k)) {
          head = lines[k]; sub(/:$/, "", head)
          printf ".SH %s\n", plain(toupper(head)); options = 1; continue
        }
        if (options && lines[k] ~ /^  [-a-zA-Z]/) {
          name = substr(lines[k], 3); text = ""
          if (match(name, /  +/)) { text = substr(name, RSTART + RLENGTH); name = substr(name, 1, RSTART - 1) }
          else if (length(lines[k]) > 26 && substr(lines[k], 26, 1) == " " && lines[k + 1] !~ /^                    /) {
            text = substr(lines[k], 27); name = substr(lines[k], 3, 23)
          }
          sub(/ REQUIRED$/, " (required)", name)
          if (match(name, / (Needs|Excludes): .*/)) name = substr(name, 1, RSTART - 1) " (" tolower(substr(name, RSTART + 1, 1)) substr(name, RSTART + 2) ")"
          printf ".TP\n.B %s\n", plain(name)
          if (text != "") print line(text)
          continue
        }
        if (options && lines[k] ~ /^                    /) { text = lines[k]; sub(/^ +/, "", text); print line(text); continue }
        if (lines[k] == "" && (options || !footer)) continue
        if (!footer) { print ".SH DESCRIPTION\n.nf"; footer = 1; options = 0 }
        print line(lines[k])
      }
      if (footer) print ".fi"
      print ".SH SEE ALSO"
      print (title == "awele" ? "The pages awele\\-COMMAND(1), one for each command." : "awele(1)")
    }' >"$folder/man1/$title.1"
}

commands=$("$program" --help | awk '/^Subcommands:/ {on = 1; next} on && !NF {exit} on {print $1}')
page
for command in $commands; do page "$command"; done
page bench probe

{
  echo "# bash completion for awele, made from awele --help"
  echo "_awele() {"
  echo "  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} choices="
  echo "  case \${COMP_WORDS[1]} in"
  for command in $commands; do
    "$program" "$command" --help | awk -v command="$command" '
      /^[^ ].*:$/ || /^  -/ || /^                    / {text = text "\n" $0}
      /^  -/ { for (k = 1; k <= NF && $k ~ /^-/; ++k) { n = split($k, names, ","); for (i = 1; i <= n; ++i) if (names[i] ~ /^--/) all = all " " names[i] } }
      END { printf "    %s) choices=\"%s\" ;;\n", command, substr(all, 2) }'
  done
  echo "  esac"
  echo "  if [[ \$COMP_CWORD == 1 ]]; then choices=\"$(echo $commands) --help --version\"; fi"
  echo "  case \$before in"
  echo "    --rules) choices=\"$("$program" solve --help | sed -n 's/.*--rules .*one of //p' | tr -d ,)\" ;;"
  echo "    --db|--out|--load) COMPREPLY=(); return ;;  # files"
  echo "  esac"
  echo "  COMPREPLY=(\$(compgen -W \"\$choices\" -- \"\$word\"))"
  echo "}"
  echo "complete -o default -F _awele awele"
} >"$folder/completions/awele"
