# Types of a program that uses much of the standard library.
require "http/server"
require "json"

enum Colour : UInt8
  Red
  Green = 7
end

struct Pair
  property first : Int32
  property second : Tuple(Int8, Int64) | String | Nil

  def initialize(@first, @second)
  end
end

class Item
  include JSON::Serializable
  property number : Int32 = 1
  property text : String | Int64 | Nil
  property tags = {} of String => Array(Float64)
  @[JSON::Field(ignore: true)]
  property pair : Pair = Pair.new(1, {2_i8, 3_i64})
end

lib LibC
  union Either
    whole : UInt64
    parts : UInt8[8]
    wide : UInt8[56]
  end
end

channel = Channel(Item).new(2)
spawn { channel.send Item.from_json(%({"number": 4})) }
either = LibC::Either.new
either.whole = 5
mutex = Mutex.new
mutex.synchronize { puts "text" =~ /e+/ }
server = HTTP::Server.new { |context| context.response.print channel.receive.to_json }
puts Colour::Green, either.parts[0], server.addresses.size, Time.utc
