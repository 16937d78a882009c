// Types of the standard library, of many modules.
module corpus.library;

import std.container.rbtree;
import std.datetime.systime;
import std.json;
import std.regex;
import std.stdio;
import std.typecons;
import std.uri;
import std.variant;

struct Holder
{
    JSONValue json;
    SysTime time;
    File file;
    Variant variant;
    Regex!char regex;
    Nullable!long maybe;
    Tuple!(int, "a", string, "b") tuple;
    RedBlackTree!int tree;
}

__gshared Holder holder;

size_t use(string text)
{
    holder.json = parseJSON(text);
    holder.regex = regex("a+b");
    holder.tree = redBlackTree(1, 2);
    holder.time = Clock.currTime();
    holder.variant = 1;
    return matchFirst(text, holder.regex).length + holder.json.toString().length + encode(text).length;
}
