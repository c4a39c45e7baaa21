#include "bench/cli.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <algorithm>
#include <iterator>
#include <memory>

#include "bench/build_info.hpp"
#include "bench/config.hpp"
#include "bench/help.hpp"
#include "bench/option_table.hpp"
#include "bench/settle.hpp"
#include "collectives/error.hpp"
#include "reports/suggest.hpp"

namespace arb {

namespace {

/// An option row bound to CLI11, and what it collected.
struct Bound {
  const OptionRow* row;
  std::vector<std::string> values;
  bool flag = false;
  CLI::Option* option = nullptr;
};

/// The name under which the user gave the option: messages then show what was typed.
std::string as_typed(const std::vector<std::string>& arguments, const OptionRow& row) {
  const auto all = names_of(row);
  for (const std::string& argument : arguments) {
    for (const std::string& name : all) {
      const bool is_long = name.starts_with("--");
      if (argument == name || (is_long && argument.starts_with(name + "=")) ||
          (!is_long && argument.starts_with(name))) {
        return name;
      }
    }
  }
  return all.back();
}

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::kUsage, message); }

[[noreturn]] void refuse_unknown(const std::string& word, const VerbRow& verb) {
  if (!word.starts_with('-')) {
    const auto verbs = verb_names();
    if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) {
      refuse(fmt::format("'{}': only one verb, in front of all options", word));
    }
    refuse(
        fmt::format("'{}': unexpected word; options start with - and lists have no blanks", word));
  }
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> valid;
  std::vector<std::string> shown;
  for (const OptionRow& row : option_table()) {
    const auto all = names_of(row);
    if ((row.verbs & verb.options) == 0) {
      if (std::find(all.begin(), all.end(), name) != all.end()) {
        refuse(fmt::format("{}: not an option of '{}'; see {} {} --help", name, verb.name, kProgram,
                           verb.name));
      }
    } else if (row.group[0] != '\0') {
      valid.insert(valid.end(), all.begin(), all.end());
      shown.push_back(long_name(row));
    }
  }
  for (const char* general : {"--help", "--version"}) {
    valid.emplace_back(general);
    shown.emplace_back(general);
  }
  const std::string guess = did_you_mean(name, valid);
  refuse(fmt::format("{}: unknown option{}{} Valid: {}", name, guess, guess.empty() ? "." : "",
                     fmt::join(shown, " ")));
}

const VerbRow& find_verb(const std::string& word) {
  for (const VerbRow& row : verb_table()) {
    if (word == row.name) return row;
  }
  const auto names = verb_names();
  const std::string guess = did_you_mean(word, names);
  refuse(fmt::format("'{}': unknown verb{}{} Valid: {}", word, guess, guess.empty() ? "." : "",
                     fmt::join(names, ", ")));
}

void bind(CLI::App& app, Bound& bound) {
  const OptionRow& row = *bound.row;
  if (row.value == nullptr) {
    bound.option = app.add_flag(row.names, bound.flag, row.help);
  } else {
    bound.option = app.add_option(row.names, bound.values, row.help)
                       ->allow_extra_args(false)
                       ->option_text(row.value);
  }
  bound.option->group(row.group);
}

/// Removes from `words` what the verb works on.
std::vector<std::string> take_files(std::vector<std::string>& words, const VerbRow& verb) {
  std::vector<std::string> files;
  if (verb.files == nullptr) return files;
  const auto is_file = [](const std::string& word) { return !word.starts_with('-'); };
  std::copy_if(words.begin(), words.end(), std::back_inserter(files), is_file);
  std::erase_if(words, is_file);
  return files;
}

/// The options of a file, as far as the command line leaves them.
ConfigOptions read_file_of_options(const std::vector<Bound>& all, std::string& file) {
  std::vector<Argument> given;
  for (const Bound& bound : all) {
    if (bound.option->count() == 0 || (bound.row->value == nullptr && !bound.flag)) continue;
    const std::string value = bound.values.empty() ? "" : bound.values.back();
    given.push_back({long_name(*bound.row), value});
    if (given.back().option == "--config") file = value;
  }
  if (file.empty()) return {};
  return without_overridden(read_config(file), given);
}

void read(Draft& draft, const std::vector<std::string>& arguments, const std::vector<Bound>& all) {
  for (const Bound& bound : all) {
    if (bound.option->count() == 0) continue;
    const std::string name = as_typed(arguments, *bound.row);
    if (bound.row->value == nullptr) {
      if (bound.flag) bound.row->apply(draft, {name, ""});
      continue;
    }
    if (bound.values.size() > 1 && !bound.row->repeats) {
      refuse(fmt::format("{}: given {} times; give it once", name, bound.values.size()));
    }
    for (const std::string& value : bound.values) bound.row->apply(draft, {name, value});
  }
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments,
                               std::span<const NamedAlgorithm> known) {
  std::vector<std::string> rest = arguments;
  const VerbRow* verb = &verb_table().front();
  if (!rest.empty() && !rest.front().starts_with('-')) {
    verb = &find_verb(rest.front());
    rest.erase(rest.begin());
  }

  CLI::App app(verb->verb == Verb::kRun
                   ? "Measures AllReduce and its relatives, and checks every result."
                   : std::string(verb->summary) + ".",
               kProgram);
  app.formatter(std::make_shared<HelpFormatter>(*verb));
  app.allow_extras();
  app.set_help_flag();  // comes back at the end, to be shown there
  std::vector<Bound> all;
  for (const OptionRow& row : option_table()) {
    if ((row.verbs & verb->options) != 0) all.push_back({&row, {}});
  }
  for (Bound& bound : all) bind(app, bound);
  bool version = false;
  app.set_help_flag("-h,--help", "this text")->group("About");
  app.add_flag("-V,--version", version, "version of this program")->group("About");
  if (verb->verb == Verb::kRun || verb->verb == Verb::kCompare || verb->verb == Verb::kAccept) {
    app.footer(
        "Exit: 0 all correct, 1 judged too slow or missing, 2 usage, 3 wrong data, 4 time limit,"
        "\n      5 environment, 130 interrupted.");
  }

  CommandLine result;
  try {
    std::vector<std::string> reversed(rest.rbegin(), rest.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    result.text = app.help();
    return result;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string option = error.what();
    refuse(fmt::format("{}: a value is missing; see {} --help", option.substr(0, option.find(':')),
                       kProgram));
  } catch (const CLI::ParseError& error) {
    refuse(fmt::format("{}; see {} --help", error.what(), kProgram));
  }
  auto unknown = app.remaining();
  const std::vector<std::string> files = take_files(unknown, *verb);
  if (!unknown.empty()) refuse_unknown(unknown.front(), *verb);
  if (version) {
    result.text = version_text();
    return result;
  }
  Draft draft;
  std::string file;
  const ConfigOptions from_file = read_file_of_options(all, file);
  for (const auto& [name, value] : from_file) {
    result.from_file.push_back(fmt::format("{}={}", name, value));
  }
  apply_config(draft, from_file, "--config " + file);
  read(draft, rest, all);
  draft.options.verb = verb->verb;
  draft.options.files = files;
  result.options = settle(std::move(draft), known);
  return result;
}

CommandLine parse_command_line(int argc, const char* const* argv,
                               std::span<const NamedAlgorithm> known) {
  return parse_command_line(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), known);
}

}  // namespace arb
