// JSON without Foundation, which would add fifty megabytes to a statically linked program.

enum JSON {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])

  init(_ value: (some BinaryInteger)?) { self = value.map { .number("\($0)") } ?? .null }
  init(_ value: Double?) { self = value.map { $0.isFinite ? .number("\($0)") : .null } ?? .null }
  init(_ value: String?) { self = value.map { .string($0) } ?? .null }

  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): Self.quoted(text)
    case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{\(members.compactMap { name, value in value.isNull ? nil : "\(Self.quoted(name)):\(value.text)" }.joined(separator: ","))}"
    }
  }

  private var isNull: Bool { if case .null = self { true } else { false } }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Inspection {
  /// The inspection as JSON, in the format that `JSONEncoder` produces. This property doesn't need Foundation.
  ///
  /// ```swift
  /// print(cancellable.inspection.json)
  /// ```
  public var json: String { jsonValue.text }

  var jsonValue: JSON {
    .object([
      ("parts", .array(parts.map(\.jsonValue))),
      ("isTruncated", .bool(isTruncated)),
      ("findings", .array(findings.map(\.jsonValue))), ("status", JSON(status)),
    ])
  }
}

extension Inspection.Part {
  fileprivate var jsonValue: JSON {
    .object([
      ("id", JSON(id)), ("name", JSON(name)), ("kind", JSON(kind.rawValue)), ("checkpoint", JSON(checkpoint)),
      ("place", JSON(place)), ("states", .array(states.map { .string($0) })), ("demand", demand?.jsonValue ?? .null),
      ("waiting", JSON(waiting)), ("mostWaiting", JSON(mostWaiting)), ("bound", JSON(bound)),
      ("isDelivering", .bool(isDelivering)),
      ("count", JSON(count)), ("received", JSON(received)), ("age", JSON(age)),
      ("sinceLastValue", JSON(sinceLastValue)),
      (
        "upstreams",
        .array(
          upstreams.map { upstream in
            .object([
              ("role", JSON(upstream.role)), ("operators", .array(upstream.operators.map { .string($0) })),
              ("flows", .array(upstream.flows.map { $0?.jsonValue ?? .null })),
              ("part", JSON(upstream.part)), ("demand", upstream.demand?.jsonValue ?? .null),
              ("count", JSON(upstream.count)),
            ])
          })
      ),
    ])
  }
}

extension Inspection.Demand {
  fileprivate var jsonValue: JSON {
    switch self {
    case .values(let count): .object([("values", .object([("_0", JSON(count))]))])
    case .unlimited: .object([("unlimited", .object([]))])
    }
  }
}

extension Inspection.Flow {
  fileprivate var jsonValue: JSON { .object([("received", JSON(received)), ("sent", JSON(sent))]) }
}

extension Inspection.Finding {
  fileprivate var jsonValue: JSON {
    .object([
      ("kind", JSON(kind.rawValue)), ("text", JSON(text)), ("part", JSON(part)), ("place", JSON(place)),
    ])
  }
}

extension LiveStreams {
  /// The streams as JSON, in the format that `JSONEncoder` produces. This property doesn't need Foundation.
  public var json: String { jsonValue.text }

  var jsonValue: JSON {
    .object([
      (
        "streams",
        .array(
          streams.map { stream in
            .object([
              ("id", JSON(stream.id)), ("place", JSON(stream.place)),
              ("checkpoint", JSON(stream.checkpoint)), ("began", JSON(stream.began)),
              ("age", JSON(stream.age)), ("received", JSON(stream.received)),
              ("sinceLastValue", JSON(stream.sinceLastValue)),
            ])
          })
      ),
      ("time", JSON(time)),
    ])
  }
}
