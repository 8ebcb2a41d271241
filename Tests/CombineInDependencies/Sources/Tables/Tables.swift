import GRDB

// Links the dependency alone, whose publishers need Combine.
@main
enum Program {
  static func main() throws {
    let database = try DatabaseQueue()
    try database.write { try $0.create(table: "order") { $0.primaryKey("id", .integer) } }
    print(try database.read { try $0.tableExists("order") })
  }
}
