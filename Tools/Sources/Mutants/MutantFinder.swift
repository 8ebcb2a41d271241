import SwiftSyntax

/// Finds the places in a tree that can be changed.
///
/// Each change is a call of a function of the switch (`MutantSwitch`) that is put around an expression or a statement, so
/// that the code between stays what it is, character by character, and mutants may be nested.
final class MutantFinder: SyntaxVisitor {
  private(set) var mutants: [Mutant] = []
  private(set) var edits: [Edit] = []

  private let path: String
  private let lines: SourceLocationConverter
  private var nextID: Int
  private var places: [String] = []
  private var types: [String] = []
  private var inactive: Set<SyntaxIdentifier> = []
  private let activeCode: ActiveCode
  private var ordinals: [String: Int] = [:]

  init(path: String, tree: Syntax, firstID: Int, flags: Set<String>) {
    self.path = path
    activeCode = ActiveCode(flags: flags.union(["DEBUG"]))
    lines = SourceLocationConverter(fileName: path, tree: tree)
    nextID = firstID
    super.init(viewMode: .sourceAccurate)
  }

  // MARK: Expressions

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let symbol = node.operator.as(BinaryOperatorExprSyntax.self)?.operator, isCode(node) else {
      return .visitChildren
    }
    let sides = (node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription)
    func text(_ symbol: String) -> String { "\(sides.0) \(symbol) \(sides.1)" }

    switch symbol.text {
    case "<", "<=", ">", ">=":
      let (function, boundary, opposite) = Self.comparisons[symbol.text]!
      let first = add(.boundary, node, text(boundary))
      if !isOnlyCondition(node) { _ = add(.condition, node, text(opposite)) } else { nextID += 1 }
      replace(symbol, of: node, by: function, first)
    case "==", "!=", "===", "!==":
      if isOnlyCondition(node) { break }
      let opposite = symbol.text.hasPrefix("!") ? "=" + symbol.text.dropFirst() : "!" + symbol.text.dropFirst()
      wrap(node, "mutantNegated(", add(.condition, node, text(opposite)))
    case "&&", "||":
      let isAnd = symbol.text == "&&"
      replace(
        symbol, of: node, by: isAnd ? "mutantBoth" : "mutantEither", add(.connective, node, text(isAnd ? "||" : "&&")))
    case "+", "-", "&+", "&-":
      let (function, other) = Self.sums[symbol.text]!
      replace(symbol, of: node, by: function, add(.arithmetic, node, text(other)))
    case "??":
      replace(symbol, of: node, by: "mutantReplacement", add(.optional, node, sides.1))
    default: break
    }
    return .visitChildren
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if node.operator.text == "!", isCode(node), !isOnlyCondition(node) {
      wrap(node, "mutantNegated(", add(.condition, node, node.expression.trimmedDescription))
    }
    return .visitChildren
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    guard isCode(node), !isAssigned(node), let value = Int(node.literal.text) else { return .skipChildren }
    change(node, to: value == 1 ? "0" : "\(value + 1)", .literal)
    return .skipChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if isCode(node), !isAssigned(node) { change(node, to: node.literal.text == "true" ? "false" : "true", .literal) }
    return .skipChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if node.base == nil, ["unlimited", "none"].contains(node.declName.baseName.text), isCode(node) {
      change(node, to: ".max(1)", .demand)
    }
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    if isCode(node) { negate(node.condition) }
    return .visitChildren
  }

  // MARK: Conditions

  override func visit(_ node: ConditionElementListSyntax) -> SyntaxVisitorContinueKind {
    guard let last = node.last, isCode(node) else { return .visitChildren }
    let isLoop = node.parent?.is(WhileStmtSyntax.self) == true
    for element in node {
      guard case .expression(let condition) = element.condition else { continue }
      if !isLoop { negate(condition) }
    }
    // A loop is not negated, since most would never end.
    if isLoop || node.contains(where: { $0.condition.isBinding }) {
      let id = add(.binding, node, "false")
      insert(", !mutantIsActive(\(id))", at: last.endPositionBeforeTrailingTrivia, .closing, for: id)
    }
    return .visitChildren
  }

  private func negate(_ condition: ExprSyntax) {
    // The opposite of a comparison is found where the comparison is.
    if let infix = condition.as(InfixOperatorExprSyntax.self), infix.operator.is(BinaryOperatorExprSyntax.self) {
      return
    }
    if let prefix = condition.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" { return }
    if condition.is(BooleanLiteralExprSyntax.self) || isOnlyCondition(condition) { return }
    wrap(condition, "mutantNegated(", add(.condition, condition, "!(\(condition.trimmedDescription))"))
  }

  /// Indicates whether an expression is all that decides about a single statement, which is also left out: a test that
  /// notices that it is missing notices the opposite, too.
  private func isOnlyCondition(_ node: some SyntaxProtocol) -> Bool {
    guard let list = node.parent?.parent?.as(ConditionElementListSyntax.self), list.count == 1,
      let statement = list.parent?.as(IfExprSyntax.self), statement.elseBody == nil,
      let only = statement.body.statements.first,
      statement.body.statements.count == 1
    else { return false }
    switch only.item {
    case .expr(let expression): return canBeLeftOut(expression)
    case .stmt(let inner): return inner.as(ReturnStmtSyntax.self).map { $0.expression == nil } ?? false
    default: return false
    }
  }

  /// Indicates whether a literal is what an assignment assigns, which is left out as a whole.
  private func isAssigned(_ node: some SyntaxProtocol) -> Bool {
    guard let infix = node.parent?.as(InfixOperatorExprSyntax.self),
      infix.parent?.parent?.is(CodeBlockItemSyntax.self) == true
        || infix.parent?.is(CodeBlockItemSyntax.self) == true
    else { return false }
    return infix.operator.is(AssignmentExprSyntax.self) || isCompound(infix)
  }

  /// Indicates whether an expression is an assignment such as `a += b`.
  private func isCompound(_ infix: InfixOperatorExprSyntax) -> Bool {
    infix.operator.as(BinaryOperatorExprSyntax.self).map { Self.compounds.contains($0.operator.text) } ?? false
  }

  // MARK: Statements

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    guard isCode(node), !isValue(node) else { return .visitChildren }
    switch node.item {
    case .expr(let expression): if canBeLeftOut(expression) { leaveOut(node, .statement) }
    case .stmt(let statement):
      guard let end = statement.as(ReturnStmtSyntax.self), end.expression == nil else { break }
      // The body of a `guard` has to leave.
      if node.parent?.parent?.parent?.is(GuardStmtSyntax.self) != true { leaveOut(node, .earlyReturn) }
    default: break
    }
    return .visitChildren
  }

  override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
    guard let value = node.expression, !value.is(NilLiteralExprSyntax.self), isCode(node) else { return .visitChildren }
    if node.resultType?.hasSuffix("?") == true {
      wrap(value, "mutantNil(", add(.optional, node, "return nil"))
    }
    return .visitChildren
  }

  private func leaveOut(_ node: CodeBlockItemSyntax, _ kind: Mutant.Kind) {
    let id = add(kind, node.item, "")
    insert("if !mutantIsActive(\(id)) { ", at: node.item.positionAfterSkippingLeadingTrivia, .opening, for: id)
    insert(" }", at: node.item.endPositionBeforeTrailingTrivia, .closing, for: id)
  }

  private func canBeLeftOut(_ expression: ExprSyntax) -> Bool {
    if let attempt = expression.as(TryExprSyntax.self) { return canBeLeftOut(attempt.expression) }
    if let waiting = expression.as(AwaitExprSyntax.self) { return canBeLeftOut(waiting.expression) }
    if let call = expression.as(FunctionCallExprSyntax.self) { return !Self.isPrecondition(call) && !call.isDelegation }
    if let infix = expression.as(InfixOperatorExprSyntax.self) {
      let isAssignment = infix.operator.is(AssignmentExprSyntax.self)
      // `_ = value` keeps the value alive up to this line.
      if infix.leftOperand.is(DiscardAssignmentExprSyntax.self), infix.rightOperand.is(DeclReferenceExprSyntax.self) {
        return false
      }
      // An initializer has to give every property a value.
      return isCompound(infix) || isAssignment && expression.function?.is(InitializerDeclSyntax.self) != true
    }
    return false
  }

  /// Indicates whether a statement is the value of what it is in.
  private func isValue(_ node: CodeBlockItemSyntax) -> Bool {
    guard let list = node.parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else { return false }
    // The result of a closure of one statement may be used, or released outside a lock.
    if list.parent?.is(AccessorBlockSyntax.self) == true || list.parent?.is(ClosureExprSyntax.self) == true {
      return true
    }
    guard let body = list.parent?.as(CodeBlockSyntax.self) else { return false }
    if let function = body.parent?.as(FunctionDeclSyntax.self) {
      return function.signature.returnClause.map { $0.type.trimmedDescription != "Void" } ?? false
    }
    return body.parent?.as(AccessorDeclSyntax.self)?.accessorSpecifier.text == "get"
  }

  // MARK: Places that are left alone

  // Messages of preconditions are checked by running programs that make each mistake, not by tests.
  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    Self.isPrecondition(node) ? .skipChildren : .visitChildren
  }

  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
    for clause in activeCode.inactiveClauses(of: node) { inactive.insert(clause.id) }
    return .visitChildren
  }

  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    inactive.contains(node.id) ? .skipChildren : .visitChildren
  }

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  private static func isPrecondition(_ call: FunctionCallExprSyntax) -> Bool {
    let name = call.calledExpression.trimmedDescription
    return ["precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError"].contains(name)
  }

  /// Indicates whether a node is in code that runs, and not in a declaration that only the compiler reads.
  private func isCode(_ node: some SyntaxProtocol) -> Bool { !places.isEmpty && !places.contains(unavailable) }

  // MARK: Declarations

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    let labels = node.signature.parameterClause.parameters.map { "\($0.firstName.text):" }.joined()
    return enter("\(node.name.text)(\(labels))", node.attributes)
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    let labels = node.signature.parameterClause.parameters.map { "\($0.firstName.text):" }.joined()
    return enter("init(\(labels))", node.attributes)
  }

  override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind { enter("deinit", node.attributes) }
  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind { enter("subscript", node.attributes) }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    // A local variable belongs to its function.
    let isMember = node.function == nil
    return enter(isMember ? node.bindings.first?.pattern.trimmedDescription ?? "" : "", node.attributes)
  }

  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    types.append(node.extendedType.trimmedDescription)
    return node.attributes.isUnavailable ? .skipChildren : .visitChildren
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name) }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name) }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name) }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name) }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name) }

  private func enter(_ type: TokenSyntax) -> SyntaxVisitorContinueKind {
    types.append(type.text)
    return .visitChildren
  }

  override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }
  override func visitPost(_ node: ClassDeclSyntax) { types.removeLast() }
  override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }
  override func visitPost(_ node: EnumDeclSyntax) { types.removeLast() }
  override func visitPost(_ node: ActorDeclSyntax) { types.removeLast() }
  override func visitPost(_ node: ProtocolDeclSyntax) { types.removeLast() }

  override func visitPost(_ node: FunctionDeclSyntax) { places.removeLast() }
  override func visitPost(_ node: InitializerDeclSyntax) { places.removeLast() }
  override func visitPost(_ node: DeinitializerDeclSyntax) { places.removeLast() }
  override func visitPost(_ node: SubscriptDeclSyntax) { places.removeLast() }
  override func visitPost(_ node: VariableDeclSyntax) { places.removeLast() }

  private let unavailable = "unavailable"

  private func enter(_ place: String, _ attributes: AttributeListSyntax) -> SyntaxVisitorContinueKind {
    places.append(attributes.isUnavailable ? unavailable : place)
    return .visitChildren
  }

  // MARK: Changes

  private static let comparisons = [
    "<": ("mutantIsLess", "<=", ">="), "<=": ("mutantIsAtMost", "<", ">"),
    ">": ("mutantIsGreater", ">=", "<="), ">=": ("mutantIsAtLeast", ">", "<"),
  ]

  private static let sums = [
    "+": ("mutantSum", "-"), "-": ("mutantDifference", "+"),
    "&+": ("mutantWrappingSum", "&-"), "&-": ("mutantWrappingDifference", "&+"),
  ]

  private static let compounds: Set = ["+=", "-=", "&+=", "&-=", "*=", "/=", "|=", "&=", "^="]

  private func add(_ kind: Mutant.Kind, _ node: some SyntaxProtocol, _ replacement: String) -> Int {
    defer { nextID += 1 }
    let first = lines.location(for: node.positionAfterSkippingLeadingTrivia).line
    let last = lines.location(for: node.endPositionBeforeTrailingTrivia).line
    let place = (types + places.filter { !$0.isEmpty }).joined(separator: ".")
    let original = oneLine(node.trimmedDescription)
    let replacement = kind == .statement || kind == .earlyReturn ? "(left out)" : oneLine(replacement)
    let key = Mutant.key(path, place, original, replacement)
    ordinals[key, default: 0] += 1
    mutants.append(
      Mutant(
        id: nextID, file: path, lines: first...last, kind: kind, place: place, original: original,
        replacement: replacement,
        ordinal: ordinals[key]!))
    return nextID
  }

  private func oneLine(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  private func wrap(_ node: some SyntaxProtocol, _ opening: String, _ id: Int) {
    insert("\(opening)\(id), ", at: node.positionAfterSkippingLeadingTrivia, .opening, for: id)
    insert(")", at: node.endPositionBeforeTrailingTrivia, .closing, for: id)
  }

  private func change(_ node: some SyntaxProtocol, to other: String, _ kind: Mutant.Kind) {
    let id = add(kind, node, other)
    insert("mutantChoice(\(id), ", at: node.positionAfterSkippingLeadingTrivia, .opening, for: id)
    insert(", \(other))", at: node.endPositionBeforeTrailingTrivia, .closing, for: id)
  }

  private func replace(_ symbol: TokenSyntax, of node: InfixOperatorExprSyntax, by function: String, _ id: Int) {
    wrap(node, "\(function)(", id)
    edits.append(
      Edit(
        mutant: id, offset: symbol.positionAfterSkippingLeadingTrivia.utf8Offset, side: .replacing, text: ",",
        replaced: symbol.text.utf8.count))
  }

  private func insert(_ text: String, at position: AbsolutePosition, _ side: Edit.Side, for id: Int) {
    edits.append(Edit(mutant: id, offset: position.utf8Offset, side: side, text: text))
  }
}

extension ConditionElementSyntax.Condition {
  fileprivate var isBinding: Bool {
    switch self {
    case .optionalBinding, .matchingPattern: true
    default: false
    }
  }
}

extension FunctionCallExprSyntax {
  /// Indicates whether an initializer calls another one.
  fileprivate var isDelegation: Bool {
    ["self.init", "super.init"].contains(calledExpression.trimmedDescription)
  }
}

extension AttributeListSyntax {
  fileprivate var isUnavailable: Bool {
    contains { $0.trimmedDescription.hasPrefix("@available") && $0.trimmedDescription.contains("unavailable") }
  }
}

extension SyntaxProtocol {
  /// The function, accessor or closure that a node is in.
  fileprivate var function: Syntax? {
    var node = parent
    while let current = node {
      switch current.kind {
      case .functionDecl, .initializerDecl, .deinitializerDecl, .accessorDecl, .closureExpr, .subscriptDecl:
        return current
      case .accessorBlock: return current
      default: node = current.parent
      }
    }
    return nil
  }

  /// The type that the function returns in which a node is, if it is written.
  fileprivate var resultType: String? {
    guard let function else { return nil }
    if let function = function.as(FunctionDeclSyntax.self) {
      return function.signature.returnClause?.type.trimmedDescription
    }
    let binding = function.as(AccessorBlockSyntax.self)?.parent ?? function.parent?.parent?.parent
    return binding?.as(PatternBindingSyntax.self)?.typeAnnotation?.type.trimmedDescription
  }
}
