import Testing

@testable import StreamTesting

// `@testable`: the tokens of a text, of which a written diagram shows only where it was inserted.

@Suite
struct SourceTokensTests {
  private func texts(_ source: String) -> [String]? {
    SourceTokens(Array(source.utf8)).map { tokens in tokens.tokens.map { tokens.text(of: $0) } }
  }

  @Test(
    arguments: [
      (#"a("}")"#, ["a", "(", #""}""#, ")"]),
      (#"a("\"}")"#, ["a", "(", #""\"}""#, ")"]),
      (#"a("\\", b)"#, ["a", "(", #""\\""#, ",", "b", ")"]),
      ("a(\"\", b)", ["a", "(", "\"\"", ",", "b", ")"]),
      (#"a("\(b("}", [c]) + ")")")"#, ["a", "(", #""\(b("}", [c]) + ")")""#, ")"]),
      (##"a(#"\(b" + "#)"##, ["a", "(", ##"#"\(b" + "#"##, ")"]),
      (##"a(#"\#(b(")"))"#)"##, ["a", "(", ##"#"\#(b(")"))"#"##, ")"]),
      (##"a(#"""#)"##, ["a", "(", ##"#"""#"##, ")"]),
      ("a(\"\"\"\n  } \" \\\"\"\" \\(b(\"x\"))\n  \"\"\")", nil),
      ("a /* } /* { */ ( */ b // }\nc", ["a", "b", "c"]),
      ("a(/[}\"]/, b)", ["a", "(", "/[}\"]/", ",", "b", ")"]),
      ("a(#/ } \" /#)", ["a", "(", "#/ } \" /#", ")"]),
      ("a / b; c/d; e(/); x /y", ["a", "/", "b", ";", "c", "/", "d", ";", "e", "(", "/", ")", ";", "x", "/", "y"]),
      ("`a (b`(é🎈)", ["`a (b`", "(", "é🎈", ")"]),
      ("#if A\nb()\n#endif", ["#", "if", "A", "b", "(", ")", "#", "endif"]),
    ] as [(String, [String]?)])
  func `literals and comments hide brackets`(_ source: String, _ expected: [String]?) {
    let found = texts(source)
    if let expected { #expect(found == expected) } else { #expect(found?.count == 4) }
  }

  @Test(arguments: [
    "a(", "a)", "a(]", "\"a", "\"a\nb\"", "\"\"\"\na", "/* /* */", "#\"a\"", "\"\\(a\"", "`a", "#/a",
  ])
  func `what has no end is no source`(_ source: String) { #expect(texts(source) == nil) }

  @Test func `text that is not UTF-8 is no source`() { #expect(SourceTokens([0x61, 0xFF]) == nil) }

  @Test func `lines and columns count bytes from one`() throws {
    let tokens = try #require(SourceTokens(Array("a\r\n/* é */ b\n".utf8)))
    #expect(tokens.offset(line: 1, column: 1) == 0)
    #expect(tokens.offset(line: 1, column: 2) == nil)
    #expect(tokens.offset(line: 2, column: 9).map { tokens.text($0..<$0 + 1) } == " ")
    let offset = try #require(tokens.offset(line: 2, column: 10))
    #expect(tokens.index(at: offset) == 1)
    #expect(tokens.index(at: offset - 1) == nil)
    #expect(tokens.offset(line: 4, column: 1) == nil)
    #expect(tokens.offset(line: 0, column: 1) == nil)
    #expect(tokens.line(of: offset) == 1)
  }
}
