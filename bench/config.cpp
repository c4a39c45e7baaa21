#include "bench/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "bench/files.hpp"
#include "bench/settle.hpp"
#include "bench/values.hpp"
#include "collectives/error.hpp"
#include "reports/json.hpp"
#include "reports/json_node.hpp"
#include "reports/suggest.hpp"

namespace arb {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::kUsage, message); }

/// nullptr: there is no such option of `run` among `rows`. Short names are no names in a file.
const OptionRow* find_row(std::span<const OptionRow> rows, const std::string& name) {
  for (const OptionRow& row : rows) {
    if ((row.verbs & kForRun) == 0) continue;
    const auto all = names_of(row);
    if (std::find(all.begin(), all.end(), "--" + name) != all.end()) return &row;
  }
  return nullptr;
}

const OptionRow& row_of(const std::string& name, const std::string& source) {
  const OptionRow* row = find_row(sweep_options(), name);
  if (row != nullptr && !row->of_one_run) return *row;
  const std::vector<std::string> valid = config_names();
  if (find_row(option_table(), name) != nullptr) {
    refuse(fmt::format("{}: {}: belongs to one run, not into a file; give --{} on the command line",
                       source, name, name));
  }
  const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  const std::string guess = did_you_mean(bare, valid);
  refuse(fmt::format("{}: {}: unknown option{}{} Valid: {}", source, name, guess,
                     guess.empty() ? "." : "", fmt::join(valid, ", ")));
}

/// A single value as the command line would have it.
std::string word(const JsonNode& node) {
  const Json& json = node.json;
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
  node.expect(json.is_number(), "a text, a number, true, false or a list of texts or numbers");
  return json.is_number_float() ? plain_decimal(json.get<double>()) : json.dump();
}

std::string words(const JsonNode& node) {
  if (!node.json.is_array()) return word(node);
  node.expect(!node.json.empty(), "a list with at least one item");
  std::vector<std::string> items;
  for (size_t i = 0; i < node.json.size(); ++i) items.push_back(word(node.item(i)));
  return fmt::format("{}", fmt::join(items, ","));
}

ConfigOptions of_report(const std::string& text) {
  const Report report = read_json(text);
  if (report.config.empty()) {
    throw std::invalid_argument(fmt::format(
        "this report of version {} does not hold its configuration, so it cannot be repeated as "
        "it was; measure once with the options of its \"command\", and use that report",
        report.version));
  }
  return {report.config.begin(), report.config.end()};
}

/// Options of which one makes no sense beside the others.
struct Clash {
  std::vector<std::string_view> one, other;
  std::string_view unless = "";  // the value of `one` that goes with `other`
};

const std::vector<Clash>& clashes() {
  static const std::vector<Clash> kAll = {
      {{"sizes"}, {"minbytes", "maxbytes", "stepfactor", "stepbytes"}},
      {{"stepfactor"}, {"stepbytes"}},
      {{"in-place"}, {"out-of-place", "place"}},
      {{"out-of-place"}, {"place"}},
      {{"iterations"}, {"precision"}},
      {{"check"}, {"no-check"}},
      {{"backend"}, {"gpus", "ranks-per-gpu", "protocol", "launch"}, "cuda"},
      {{"backend"}, {"path"}, "mpi"},
      {{"path"}, {"gpus", "ranks-per-gpu", "protocol", "launch"}},
  };
  return kAll;
}

/// What the table of clashes knows an option by.
std::string main_name(const OptionRow& row) { return long_name(row).substr(2); }

bool holds(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct Named {
  std::string name, value;
};

bool contradict(const Named& a, const Named& b) {
  return std::any_of(clashes().begin(), clashes().end(), [&](const Clash& clash) {
    const auto apart = [&](const Named& one, const Named& other) {
      return holds(clash.one, one.name) && holds(clash.other, other.name) &&
             (clash.unless.empty() || one.value != clash.unless);
    };
    return apart(a, b) || apart(b, a);
  });
}

}  // namespace

ConfigOptions parse_config(std::string_view text, const std::string& source) {
  try {
    const Json json = parse_strictly(text, "configuration");
    const JsonNode node{json, "", "configuration"};
    node.expect(json.is_object(), "an object");
    if (json.contains("schema_version") && json.contains("records")) {
      return of_report(std::string(text));
    }
    if (json.contains("profile_version")) {
      throw std::invalid_argument(
          "this is a profile of acceptance, no configuration of a sweep: accept --profile FILE");
    }
    ConfigOptions options;
    for (const auto& [key, value] : json.items()) {
      const JsonNode field{value, key, "configuration"};
      if (key == "description") {
        field.expect(value.is_string(), "a text");
      } else {
        options.emplace_back(key, words(field));
      }
    }
    return options;
  } catch (const std::invalid_argument& error) {
    refuse(fmt::format("{}: {}", source, error.what()));
  }
}

ConfigOptions read_config(const std::string& path) {
  const std::string source = "--config " + path;
  const auto text = read_file(path);
  if (!text) {
    refuse(fmt::format(
        "{}: cannot be read; name a file of options (see configs/sweeps) or a report in JSON",
        source));
  }
  return parse_config(*text, source);
}

void apply_config(Draft& draft, const ConfigOptions& options, const std::string& source) {
  std::vector<std::pair<const OptionRow*, std::string>> seen;
  for (const auto& [name, value] : options) {
    const OptionRow& row = row_of(name, source);
    const auto twin = std::find_if(seen.begin(), seen.end(),
                                   [&](const auto& each) { return each.first == &row; });
    if (twin != seen.end()) {
      refuse(fmt::format("{}: {}: says the same as {}; drop one", source, name, twin->second));
    }
    seen.emplace_back(&row, name);
    const Argument argument{fmt::format("{}: {}", source, name), value};
    if (row.value != nullptr) {
      row.apply(draft, argument);
    } else if (value == "true") {
      row.apply(draft, {argument.option, ""});
    } else if (value != "false") {
      reject(argument, "a flag is true or false");
    }
  }
}

Options options_from(const ConfigOptions& options, const std::string& source,
                     std::span<const NamedAlgorithm> known) {
  Draft draft;
  apply_config(draft, options, source);
  return settle(std::move(draft), known);
}

ConfigOptions without_overridden(const ConfigOptions& options, std::span<const Argument> given) {
  std::vector<Named> stronger;
  for (const Argument& argument : given) {
    for (const OptionRow& row : sweep_options()) {
      const auto all = names_of(row);
      if ((row.verbs & kForRun) != 0 &&
          std::find(all.begin(), all.end(), argument.option) != all.end()) {
        stronger.push_back({main_name(row), argument.value});
      }
    }
  }
  ConfigOptions left;
  std::copy_if(options.begin(), options.end(), std::back_inserter(left), [&](const auto& option) {
    const OptionRow* row = find_row(sweep_options(), option.first);
    if (row == nullptr) return true;  // refused when it is applied
    const Named own{main_name(*row), option.second};
    const bool off = row->value == nullptr && option.second == "false";
    return off || std::none_of(stronger.begin(), stronger.end(), [&](const Named& each) {
             return each.name == own.name || contradict(each, own);
           });
  });
  return left;
}

std::vector<std::string> config_names() {
  std::vector<std::string> names;
  for (const OptionRow& row : sweep_options()) {
    if ((row.verbs & kForRun) == 0 || row.of_one_run) continue;
    for (const std::string& name : names_of(row)) {
      if (name.starts_with("--")) names.push_back(name.substr(2));
    }
  }
  return names;
}

}  // namespace arb
