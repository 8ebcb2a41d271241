/// The source of the functions that mutated code calls, which is added to each module.
public enum MutantSwitch {
  /// The variable of the environment with the number of the mutant that a run has.
  public static let chosen = "MUTANT"

  /// The variable with the path of a file of one byte for each mutant, which becomes 1 when the mutant's code runs.
  public static let reached = "MUTANTS_REACHED"

  public static let fileName = "MutantSwitch.swift"

  public static let source = #"""
    // Added by the tool that makes mutants.
    #if canImport(Darwin)
    import Darwin
    #elseif canImport(Musl)
    import Musl
    #else
    import Glibc
    #endif

    private let chosenMutant = getenv("MUTANT").flatMap { Int(String(cString: $0)) } ?? -1

    nonisolated(unsafe) private let reachedMutants: UnsafeMutablePointer<UInt8>? = {
      guard let path = getenv("MUTANTS_REACHED") else { return nil }
      let file = open(path, O_RDWR)
      let size = Int(lseek(file, 0, SEEK_END))
      guard file >= 0, size > 0 else { return nil }
      return mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)?.assumingMemoryBound(to: UInt8.self)
    }()

    @usableFromInline func mutantIsActive(_ id: Int) -> Bool {
      if let reachedMutants { reachedMutants[id] = 1 }
      return id == chosenMutant
    }

    @usableFromInline func mutantNegated(_ id: Int, _ value: Bool) -> Bool { mutantIsActive(id) ? !value : value }

    @usableFromInline func mutantChoice<Value>(_ id: Int, _ value: Value, _ other: Value) -> Value {
      mutantIsActive(id) ? other : value
    }

    @usableFromInline func mutantNil<Value>(_ id: Int, _ value: Value?) -> Value? { mutantIsActive(id) ? nil : value }

    @usableFromInline func mutantReplacement<Value>(
      _ id: Int, _ value: Value?, _ other: @autoclosure () throws -> Value
    ) rethrows -> Value { mutantIsActive(id) ? try other() : try value ?? other() }

    @usableFromInline func mutantReplacement<Value>(
      _ id: Int, _ value: Value?, _ other: @autoclosure () throws -> Value?
    ) rethrows -> Value? { mutantIsActive(id) ? try other() : try value ?? other() }

    @usableFromInline func mutantBoth(_ id: Int, _ first: Bool, _ second: @autoclosure () throws -> Bool) rethrows -> Bool {
      mutantIsActive(id) ? try first || second() : try first && second()
    }

    @usableFromInline func mutantEither(_ id: Int, _ first: Bool, _ second: @autoclosure () throws -> Bool) rethrows -> Bool {
      mutantIsActive(id) ? try first && second() : try first || second()
    }

    @usableFromInline func mutantIsLess<Value: Comparable>(_ id: Int, _ first: Value, _ second: Value) -> Bool {
      mutantIsActive(id) ? first <= second : mutantIsActive(id + 1) ? first >= second : first < second
    }

    @usableFromInline func mutantIsAtMost<Value: Comparable>(_ id: Int, _ first: Value, _ second: Value) -> Bool {
      mutantIsActive(id) ? first < second : mutantIsActive(id + 1) ? first > second : first <= second
    }

    @usableFromInline func mutantIsGreater<Value: Comparable>(_ id: Int, _ first: Value, _ second: Value) -> Bool {
      mutantIsActive(id) ? first >= second : mutantIsActive(id + 1) ? first <= second : first > second
    }

    @usableFromInline func mutantIsAtLeast<Value: Comparable>(_ id: Int, _ first: Value, _ second: Value) -> Bool {
      mutantIsActive(id) ? first > second : mutantIsActive(id + 1) ? first < second : first >= second
    }

    @usableFromInline func mutantSum<Value: AdditiveArithmetic>(_ id: Int, _ first: Value, _ second: Value) -> Value {
      mutantIsActive(id) ? first - second : first + second
    }

    @usableFromInline func mutantDifference<Value: AdditiveArithmetic>(_ id: Int, _ first: Value, _ second: Value) -> Value {
      mutantIsActive(id) ? first + second : first - second
    }

    @usableFromInline func mutantWrappingSum<Value: FixedWidthInteger>(_ id: Int, _ first: Value, _ second: Value) -> Value {
      mutantIsActive(id) ? first &- second : first &+ second
    }

    @usableFromInline func mutantWrappingDifference<Value: FixedWidthInteger>(
      _ id: Int, _ first: Value, _ second: Value
    ) -> Value { mutantIsActive(id) ? first &+ second : first &- second }
    """#
}
