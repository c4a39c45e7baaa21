#include "tests/lab/switch/options.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "collectives/error.hpp"

namespace arb::lab {

const char* const kUsage =
    R"(usage: lab-switch N [options]     joins N network namespaces (needs root and /dev/net/tun)
       lab-switch --cleanup       removes the namespaces of instances that crashed

  --alpha TIME        delay of every path: 5ms, 100us (default 0)
  --rate RATE         of every port, each direction: 20MB/s (1e6 bytes/s) or unlimited (default)
  --mtu BYTES         of the interfaces (default 9000)
  --header BYTES      of every frame are not charged (default 66: Ethernet, IP, TCP with timestamps)
  --no-ingress        receiving ports are infinitely fast
  --host H:LIST       exceptions of host H (from 1 on): 3:rate=10MB/s,alpha=10ms
  --pair A-B:LIST     exceptions of both directions between two hosts: 1-2:alpha=10ms,rate=5MB/s
  --until-eof         end when standard input ends, too (else: SIGINT, SIGTERM)

A line of JSON on standard output says when it is ready, and one at the end how late it was.
)";

namespace {

constexpr int kMostHosts = 250;
constexpr int kLeastMtu = 576, kMostMtu = 65521;  // what a TAP device takes

struct Setting {
  std::string_view name, value;
};

/// "alpha=1ms,rate=2MB/s" -> the settings, each at most once.
std::vector<Setting> read_settings(std::string_view option, std::string_view whole,
                                   std::string_view list) {
  std::vector<Setting> settings;
  while (true) {
    const std::string_view item = list.substr(0, list.find(','));
    const size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    if (equals == std::string_view::npos || (name != "alpha" && name != "rate")) {
      refuse(option, whole, "give alpha=TIME or rate=RATE, apart by commas");
    }
    for (const Setting& other : settings) {
      if (other.name == name) refuse(option, whole, std::string(name) + " is given twice");
    }
    settings.push_back({name, item.substr(equals + 1)});
    if (item.size() == list.size()) return settings;
    list.remove_prefix(item.size() + 1);
  }
}

template <typename Exception>
void set(Exception& exception, std::string_view option, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    if (setting.name == "alpha") exception.alpha = read_time(option, setting.value);
    if (setting.name == "rate") exception.rate = read_rate(option, setting.value);
  }
}

std::pair<std::string_view, std::string_view> cut(std::string_view option, std::string_view text,
                                                  char where, const char* how) {
  const size_t at = text.find(where);
  if (at == std::string_view::npos) refuse(option, text, how);
  return {text.substr(0, at), text.substr(at + 1)};
}

void read_host(Law& law, std::string_view option, std::string_view value) {
  const auto [host, list] = cut(option, value, ':', "write it like 3:rate=10MB/s");
  Host own;
  own.host = read_int(option, host, 1, law.hosts) - 1;
  set(own, option, read_settings(option, value, list));
  for (const Host& other : law.own) {
    if (other.host == own.host) refuse(option, value, "this host was given before");
  }
  law.own.push_back(own);
}

void read_pair(Law& law, std::string_view option, std::string_view value) {
  const char* how = "write it like 1-2:alpha=10ms";
  const auto [hosts, list] = cut(option, value, ':', how);
  const auto [a, b] = cut(option, hosts, '-', how);
  Pair pair;
  pair.a = read_int(option, a, 1, law.hosts) - 1;
  pair.b = read_int(option, b, 1, law.hosts) - 1;
  if (pair.a == pair.b) refuse(option, value, "two different hosts make a pair");
  if (pair.a > pair.b) std::swap(pair.a, pair.b);
  set(pair, option, read_settings(option, value, list));
  for (const Pair& other : law.pairs) {
    if (other.a == pair.a && other.b == pair.b) {
      refuse(option, value, "this pair was given before");
    }
  }
  law.pairs.push_back(pair);
}

struct Row {
  std::string_view name;
  bool repeatable;
  void (*read)(Options&, std::string_view option, std::string_view value);
  void (*flag)(Options&);
};

constexpr Row kRows[] = {
    {"--alpha", false, [](Options& o, auto n, auto v) { o.law.alpha = read_time(n, v); }, nullptr},
    {"--rate", false, [](Options& o, auto n, auto v) { o.law.rate = read_rate(n, v); }, nullptr},
    {"--mtu", false,
     [](Options& o, auto n, auto v) { o.mtu = read_int(n, v, kLeastMtu, kMostMtu); }, nullptr},
    {"--header", false,
     [](Options& o, auto n, auto v) {
       o.law.header_bytes = static_cast<size_t>(read_int(n, v, 0, kLeastMtu));
     },
     nullptr},
    {"--host", true, [](Options& o, auto n, auto v) { read_host(o.law, n, v); }, nullptr},
    {"--pair", true, [](Options& o, auto n, auto v) { read_pair(o.law, n, v); }, nullptr},
    {"--no-ingress", false, nullptr, [](Options& o) { o.law.ingress = false; }},
    {"--until-eof", false, nullptr, [](Options& o) { o.until_eof = true; }},
    {"--cleanup", false, nullptr, [](Options& o) { o.cleanup = true; }},
    {"--help", false, nullptr, [](Options& o) { o.help = true; }},
};

const Row& find_row(std::string_view name, std::string_view argument) {
  for (const Row& row : kRows) {
    if (row.name == name) return row;
  }
  refuse("option", argument, "unknown; see lab-switch --help");
}

struct Given {
  const Row* row;
  std::optional<std::string_view> value;
};

}  // namespace

Options read_options(std::span<const std::string> arguments) {
  Options options;
  std::vector<Given> given;
  bool counted = false;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::string_view argument = arguments[k];
    if (argument.substr(0, 1) != "-") {
      if (counted) refuse("N", argument, "the number of hosts was given before");
      options.law.hosts = read_int("N", argument, 2, kMostHosts);
      counted = true;
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const Row& row = find_row(name, argument);
    const bool again =
        std::any_of(given.begin(), given.end(), [&](const Given& g) { return g.row == &row; });
    if (again && !row.repeatable) refuse(name, argument, "given twice");
    Given& one = given.emplace_back(Given{&row, std::nullopt});
    if (equals != std::string_view::npos) {
      one.value = argument.substr(equals + 1);
    } else if (row.read != nullptr && k + 1 < arguments.size()) {
      one.value = arguments[++k];
    }
    if ((row.read != nullptr) != one.value.has_value()) {
      refuse(name, argument, row.read != nullptr ? "needs a value" : "takes no value");
    }
  }
  // Hosts are numbered up to N, which may come last.
  for (const Given& one : given) {
    if (one.row->read != nullptr) {
      one.row->read(options, one.row->name, *one.value);
    } else {
      one.row->flag(options);
    }
  }
  if (options.cleanup && (counted || given.size() > 1)) {
    throw Error(ErrorKind::kUsage, "--cleanup stands alone");
  }
  if (!counted && !options.cleanup && !options.help) {
    throw Error(ErrorKind::kUsage, "the number of hosts is missing; write lab-switch 4 ...");
  }
  return options;
}

}  // namespace arb::lab
