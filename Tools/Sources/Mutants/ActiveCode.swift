import SwiftSyntax

/// Which clauses of `#if` are compiled here, without flags of the package's own except those given.
struct ActiveCode {
  /// The names that are defined: those of a debug build, and of the options of a build.
  let flags: Set<String>

  #if os(Linux)
    private static let system = "Linux"
    private static let modules: Set = ["Glibc", "Foundation", "Dispatch", "Synchronization", "Observation"]
  #else
    private static let system = "macOS"
    private static let modules: Set = [
      "Darwin", "Foundation", "Dispatch", "Synchronization", "Observation", "os", "Combine",
    ]
  #endif

  /// The clauses that are not compiled.
  func inactiveClauses(of node: IfConfigDeclSyntax) -> [IfConfigClauseSyntax] {
    var isTaken = false
    return node.clauses.filter { clause in
      let isActive = !isTaken && (clause.condition.map(isTrue) ?? true)
      isTaken = isTaken || isActive
      return !isActive
    }
  }

  /// Indicates whether a condition holds. One that is not understood counts as true, so that its code is looked at.
  private func isTrue(_ condition: ExprSyntax) -> Bool {
    if let name = condition.as(DeclReferenceExprSyntax.self) { return flags.contains(name.baseName.text) }
    if let literal = condition.as(BooleanLiteralExprSyntax.self) { return literal.literal.text == "true" }
    if let prefix = condition.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
      return !isTrue(prefix.expression)
    }
    if let tuple = condition.as(TupleExprSyntax.self), tuple.elements.count == 1 {
      return isTrue(tuple.elements.first!.expression)
    }
    if let infix = condition.as(InfixOperatorExprSyntax.self) {
      let sides = (isTrue(infix.leftOperand), isTrue(infix.rightOperand))
      return infix.operator.trimmedDescription == "||" ? sides.0 || sides.1 : sides.0 && sides.1
    }
    if let call = condition.as(FunctionCallExprSyntax.self), let argument = call.arguments.first?.trimmedDescription {
      switch call.calledExpression.trimmedDescription {
      case "os": return argument == Self.system
      case "canImport": return Self.modules.contains(argument)
      default: return true
      }
    }
    return true
  }
}
