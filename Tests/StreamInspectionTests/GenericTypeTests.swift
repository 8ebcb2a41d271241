import Testing

@testable import StreamInspection

// `@testable`: the type that reads the names of types is internal, and no public result shows all that it reads.
@Suite struct GenericTypeTests {
  @Test func plainName() {
    let type = GenericType(text: "Streams.Publishers.Map")
    #expect(type.name == "Map")
    #expect(type.qualifiedName == "Streams.Publishers.Map")
    #expect(type.arguments.isEmpty)
  }

  @Test func argumentsAreThoseOfTheInnermostType() {
    let type = GenericType(text: "A.Outer<Swift.Int>.Inner<Swift.String, A.Box<(Swift.Int, [B.C])>>")
    #expect(type.name == "Inner")
    #expect(type.qualifiedName == "A.Outer.Inner")
    #expect(type.arguments.map(\.qualifiedName) == ["Swift.String", "A.Box"])
    #expect(type.arguments[1].arguments.count == 1)
  }

  @Test func arrowsAreNoBrackets() {
    let type = GenericType(text: "M.Box<(Swift.Int, Swift.Int) -> Swift.Bool, M.Größe>")
    #expect(type.arguments.count == 2)
    #expect(type.arguments[1].text == "Größe")
  }

  @Test func typesAreReadTwice() {
    struct Box<Value, Other> {}
    for _ in 0..<2 {
      #expect(GenericType(Box<[Int], Int?>.self).arguments.map(\.text) == ["[Int]", "Int?"])
      #expect(GenericType(Box<Int, [Int]>.self).text == "Box<Int, [Int]>")
    }
  }
}
