# Complains about blocks of Swift code in Markdown files that stand in none of the Swift files named before them.
#
# The lines of a block must follow one another in one of the files, indented by the same number of spaces. Manifests and blocks of
# imports are left out.

FILENAME ~ /\.swift$/ { files[FILENAME] = files[FILENAME] "\n" $0; next }
/^```swift$/ { inside = 1; count = 0; begin = FNR; next }
inside && /^```$/ {
  inside = 0
  found = 1
  for (i = 1; i <= count; i++) if (line[i] !~ /^import /) found = line[1] ~ /^\/\/ swift-tools-version/
  for (name in files) {
    # The indentation of the first line in the file is that of the others.
    for (indent = 0; indent <= 12 && !found; indent += 2) {
      text = ""
      for (i = 1; i <= count; i++) text = text "\n" (line[i] == "" ? "" : sprintf("%*s", indent, "") line[i])
      if (index(files[name] "\n", text "\n")) found = 1
    }
  }
  if (!found) { print FILENAME ":" begin ": error: no test has this code"; failed = 1 }
  next
}
inside { line[++count] = $0 }
END { exit failed }
