import Mutants
import Testing

@Suite struct MutantTests {
  /// The mutants of the body of a function, as `kind: original -> replacement`.
  private func mutants(_ body: String) -> [String] {
    file("func f() {\n\(body)\n}").mutants.map { "\($0.kind.rawValue): \($0.original) -> \($0.replacement)" }
  }

  private func file(_ source: String) -> MutatedFile { MutatedFile(path: "F.swift", source: source, firstID: 10) }

  private func mutated(_ source: String) -> String {
    let file = file(source)
    return file.source(with: Set(file.mutants.map(\.id)))
  }

  @Test("a comparison is off by one, or the opposite")
  func comparisons() {
    #expect(mutants("return a < b") == ["boundary: a < b -> a <= b", "condition: a < b -> a >= b"])
    #expect(mutants("return a == b") == ["condition: a == b -> a != b"])
    #expect(mutated("func f() -> Bool { return a < b }") == "func f() -> Bool { return mutantIsLess(10, a , b) }")
  }

  @Test("mutants are nested, and lines stay where they are")
  func nesting() {
    let source = """
      func f() -> Bool {
        return !a
          && b < c
      }
      """
    let expected = """
      func f() -> Bool {
        return mutantBoth(10, mutantNegated(11, !a)
          , mutantIsLess(12, b , c))
      }
      """
    #expect(mutated(source) == expected)
  }

  @Test("a file without chosen mutants is what it was")
  func noMutants() {
    let source = "func f() -> Int { let é = 1 + 2; return é } // ü\n"
    #expect(file(source).source(with: []) == source)
    #expect(
      file(source).source(with: [11]) == "func f() -> Int { let é = mutantChoice(11, 1, 0) + 2; return é } // ü\n")
  }

  @Test("a call and an assignment are left out, but not the value of a function")
  func statements() {
    #expect(mutants("a()\nb = c\nd += e") == ["a()", "b = c", "d += e"].map { "statement: \($0) -> (left out)" })
    #expect(mutated("func f() { try a() }") == "func f() { if !mutantIsActive(10) { try a() } }")
    #expect(mutated("func f() -> Int { a() }") == "func f() -> Int { a() }")
    #expect(mutated("var f: Int { a() }") == "var f: Int { a() }")
    #expect(mutated("func f() { a { b() } }") == "func f() { if !mutantIsActive(10) { a { b() } } }")
  }

  @Test("a condition of one statement is not changed, since the statement is left out")
  func onlyCondition() {
    #expect(mutants("if a { b() }") == ["statement: b() -> (left out)"])
    #expect(
      mutants("if a { b() } else { c() }") == [
        "condition: a -> !(a)", "statement: b() -> (left out)", "statement: c() -> (left out)",
      ])
  }

  @Test("a binding never matches, and a loop never begins")
  func bindings() {
    #expect(
      mutated("func f() { guard let a else { return } }")
        == "func f() { guard let a, !mutantIsActive(10) else { return } }")
    #expect(
      mutated("func f() { while a { return } }")
        == "func f() { while a, !mutantIsActive(10) { if !mutantIsActive(11) { return } } }")
  }

  @Test("an optional result is nil")
  func optionals() {
    #expect(mutated("func f() -> Int? { return a }") == "func f() -> Int? { return mutantNil(10, a) }")
    #expect(mutants("return a ?? b") == ["optional: a ?? b -> b"])
  }

  @Test("what only the compiler reads is left alone, and so are preconditions")
  func leftAlone() {
    #expect(mutants("precondition(a < b, \"c\")") == [])
    #expect(file("@available(*, unavailable) func f() { a() }").mutants.isEmpty)
    #expect(file("func f(a: Int = 1) { }").mutants.isEmpty)
    #expect(file("enum E: Int { case a = 1 }").mutants.isEmpty)
    #expect(mutants("switch a { case 1: break; default: break }") == [])
  }

  @Test("code that is not compiled has no mutants")
  func conditions() {
    #expect(mutants("#if EXPLORE\na()\n#else\nb()\n#endif") == ["statement: b() -> (left out)"])
    #expect(
      mutants("#if os(Windows) || canImport(Nothing)\na()\n#elseif DEBUG\nb()\n#else\nc()\n#endif") == [
        "statement: b() -> (left out)"
      ])
    let file = MutatedFile(
      path: "F.swift", source: "func f() {\n#if EXPLORE\na()\n#endif\n}", firstID: 0, flags: ["EXPLORE"])
    #expect(file.mutants.map(\.original) == ["a()"])
  }

  @Test("a mutant is known by its place and its code")
  func keys() {
    let mutant = file("struct S {\n  func f(a: Int, _ b: Int) {\n    g()\n  }\n}").mutants[0]
    #expect(mutant.key == "F.swift | S.f(a:_:) | g() -> (left out)")
    let both = file("func f() { g(); g() }").mutants.map(\.key)
    #expect(both == ["F.swift | f() | g() -> (left out)", "F.swift | f() | g() -> (left out) (2)"])
    #expect(mutant.lines == 3...3)
  }
}
