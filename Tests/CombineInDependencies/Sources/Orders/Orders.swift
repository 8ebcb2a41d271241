import Combine
import Foundation
import GRDB

struct Order: Codable, FetchableRecord, PersistableRecord {
  var id: Int64
  var customer: String
  var total: Int
}

/// The total of one customer's orders, kept up to date as the database changes.
final class Revenue: ObservableObject {
  @Published var customer: String
  @Published private(set) var total: Int?
  private var cancellables: Set<AnyCancellable> = []

  init(customer: String, database: DatabaseQueue) {
    self.customer = customer
    $customer
      .removeDuplicates()
      .map { customer in
        ValueObservation
          .tracking { database in
            try Order.filter(Column("customer") == customer)
              .select(sum(Column("total")), as: Int.self).fetchOne(database) ?? 0
          }
          .removeDuplicates()
          .publisher(in: database)
      }
      .switchToLatest()
      .receive(on: DispatchQueue.main)
      .sink(
        receiveCompletion: { print("completed:", $0) },
        receiveValue: { [weak self] in self?.total = $0 }
      )
      .store(in: &cancellables)
  }
}

@main
enum Program {
  @MainActor static func main() async throws {
    let database = try DatabaseQueue()
    try await database.write { database in
      try database.create(table: "order") {
        $0.primaryKey("id", .integer)
        $0.column("customer", .text).notNull()
        $0.column("total", .integer).notNull()
      }
    }
    let revenue = Revenue(customer: "Ada", database: database)
    var totals = revenue.$total.compactMap { $0 }.values.makeAsyncIterator()
    await print(revenue.customer, totals.next() ?? -1)
    try await database.write { try Order(id: 1, customer: "Ada", total: 12).insert($0) }
    await print(revenue.customer, totals.next() ?? -1)
    try await database.write { try Order(id: 2, customer: "Grace", total: 30).insert($0) }
    revenue.customer = "Grace"
    await print(revenue.customer, totals.next() ?? -1)
    try await database.write { try Order(id: 3, customer: "Grace", total: 5).insert($0) }
    await print(revenue.customer, totals.next() ?? -1)
  }
}
