// Much of the standard library, for types of every shape that its authors needed.
#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stack>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <valarray>
#include <variant>
#include <vector>

std::map<std::string, std::vector<std::optional<int>>> map;
std::unordered_map<int, std::variant<int, double, std::string>> variants;
std::tuple<char, std::string, std::unique_ptr<int>, bool> tuple;
std::deque<std::shared_ptr<std::function<int(int)>>> functions;
std::list<std::any> anything;
std::bitset<70> bits;
std::valarray<std::complex<float>> numbers;

std::string matched(const std::string &text) {
    std::smatch match;
    return std::regex_search(text, match, std::regex("a+")) ? match.str() : std::filesystem::current_path().string();
}

int drawn() {
    std::mt19937 random(1);
    std::stringstream out;
    out << std::chrono::system_clock::now().time_since_epoch().count() << random();
    return std::async([] { return 1; }).get() + static_cast<int>(out.str().size());
}
