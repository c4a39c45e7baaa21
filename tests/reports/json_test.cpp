#include "reports/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "reports/compare/compare.hpp"
#include "tests/reports/sample_report.hpp"

namespace arb {
namespace {

using Json = nlohmann::json;

TEST(Json, ReadingAndWritingAgainGivesTheSameText) {
  for (const Report& report : {sample_report(), Report{}}) {
    const std::string text = write_json(report);
    EXPECT_EQ(write_json(read_json(text)), text);
  }
}

TEST(Json, EveryValueSurvivesTheRoundTrip) {
  Report report;
  report.version = "1";
  report.records = {sample_record()};
  report.records[0].time->samples = {0.1,  5e-324,    1.7976931348623157e308,
                                     -0.0, 1.0 / 3.0, 9007199254740993.0};
  report.records[0].bytes = std::numeric_limits<int64_t>::max();
  report.records[0].flags = {"a", "b c"};
  report.environment.variables = {{"A", ""}, {"B", "x=\"y\""}};
  const Report back = read_json(write_json(report));
  const Record& record = back.records.at(0);
  EXPECT_EQ(record.time->samples, report.records[0].time->samples);
  EXPECT_TRUE(std::signbit(record.time->samples[3]));
  EXPECT_EQ(record.bytes, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(record.flags, report.records[0].flags);
  EXPECT_EQ(record.time->ci95, report.records[0].time->ci95);
  EXPECT_EQ(record.root, std::nullopt);
  EXPECT_EQ(record.reason, "");
  EXPECT_EQ(back.environment.variables, report.environment.variables);
}

TEST(Json, NumbersAreNumbersAndWhatIsNotFiniteIsNull) {
  const Json json = Json::parse(write_json(sample_report()));
  const Json& broken = json.at("records").back();
  EXPECT_TRUE(broken.at("time_s").at("mean").is_null());
  EXPECT_TRUE(broken.at("time_s").at("max").is_null());
  EXPECT_TRUE(broken.at("time_s").at("ci95").is_null());
  EXPECT_TRUE(broken.at("limit_share").is_null());
  EXPECT_TRUE(json.at("complete").is_boolean());
  EXPECT_EQ(json.at("records").at(6).at("bytes"), 4294967296);
  EXPECT_EQ(json.at("records").at(5).at("verify").at("wrong"), 12345678);
  EXPECT_TRUE(json.at("records").at(7).at("time_s").is_null());
}

TEST(Json, IsValidUtf8WhateverComesIn) {
  Report report;
  for (int byte = 0; byte < 256; ++byte) report.environment.host += static_cast<char>(byte);
  report.environment.variables["\xC3"] = "\xED\xA0\x80";  // half a letter; a surrogate
  const Json json =
      Json::parse(write_json(report));  // refuses invalid UTF-8 and raw control characters
  EXPECT_EQ(json.at("environment").at("host").get<std::string>().substr(0, 128),
            report.environment.host.substr(0, 128));
  EXPECT_EQ(read_json(write_json(report)).environment.host, json.at("environment").at("host"));
}

std::string refusal(const std::string& text) {
  try {
    read_json(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal_of_change(const char* pointer, const Json& value) {
  Json json = Json::parse(write_json(sample_report()));
  json[Json::json_pointer(pointer)] = value;
  return refusal(json.dump());
}

TEST(JsonReader, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(refusal_of_change("/records/3/time_s/median", "12"),
            "records[3].time_s.median: expected a number or null, found \"12\"");
  EXPECT_EQ(refusal_of_change("/records/0/bytes", 8.5),
            "records[0].bytes: expected a whole number, found 8.5");
  EXPECT_EQ(refusal_of_change("/records/0/bytes", 18446744073709551615u),
            "records[0].bytes: expected a whole number below 2^63, found 18446744073709551615");
  EXPECT_EQ(refusal_of_change("/records/0/status", "fine"),
            R"(records[0].status: expected "ok", "wrong", "skipped" or "timeout", found "fine")");
  EXPECT_EQ(refusal_of_change("/records/0/time_s/ci95", {1}),
            "records[0].time_s.ci95: expected [low, high] or null, found a list");
  EXPECT_EQ(refusal_of_change("/complete", nullptr),
            "complete: expected true or false, found null");
  EXPECT_EQ(refusal_of_change("/records", Json::object()),
            "records: expected a list, found an object");
  EXPECT_EQ(refusal_of_change("/tool/colour", 1), "tool.colour: unknown field");
  EXPECT_EQ(refusal_of_change("/extra", 1), "extra: unknown field");
}

TEST(JsonReader, RefusesOtherDocuments) {
  EXPECT_EQ(refusal("{}"), "schema_version: this field is missing");
  EXPECT_EQ(refusal("[]"), "report: expected an object, found a list");
  EXPECT_EQ(refusal(R"({"schema_version": 1})"), "tool: this field is missing");
  EXPECT_NE(refusal(R"({"schema_version": 2})")
                .find("this report has version 2, this program reads version 1"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"schema_version": 1, "schema_version": 1})"),
            "report: the field \"schema_version\" occurs twice");
  for (const char* text : {"", "{", "{} x", "{\"a\": NaN}", "\xFF", "{\"a\": 1e999}"}) {
    EXPECT_NE(refusal(text).find("not valid JSON"), std::string::npos) << text;
  }
}

TEST(JsonReader, ReadsReportsOfBeforeTheCriticalPath) {
  Json json = Json::parse(write_json(sample_report()));
  ASSERT_EQ(json["records"][0]["traffic"].erase("path_bytes"), 1U);
  json["records"][1]["traffic"]["path_bytes"] = nullptr;
  const Report report = read_json(json.dump());
  EXPECT_FALSE(report.records[0].traffic->path_bytes);
  EXPECT_FALSE(report.records[1].traffic->path_bytes);
  EXPECT_EQ(report.records[0].traffic->steps, 6);
  EXPECT_EQ(refusal_of_change("/records/0/traffic/path_bytes", "8"),
            "records[0].traffic.path_bytes: expected a whole number, found \"8\"");
  EXPECT_TRUE(Json::parse(write_json(report))["records"][0]["traffic"]["path_bytes"].is_null());
}

/// A baseline that an older version of the program wrote is still a baseline.
TEST(JsonReader, ReadsTheReportsOfOlderVersions) {
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(ARB_SOURCE_DIR) + "/tests/golden/old")) {
    std::ifstream stream(file.path());
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    const Report old = read_json(text);
    EXPECT_FALSE(old.records.empty()) << file.path();
    EXPECT_TRUE(old.config.empty()) << file.path();
    const std::vector<Report> reports = {old};
    EXPECT_EQ(exit_code(gate_of(compare(reports, reports, {}), {})), 3)
        << file.path();  // wrong data
    ++files;
  }
  EXPECT_EQ(files, 3);
}

TEST(JsonReader, TakesWholeNumbersInAnyNotation) {
  Json json = Json::parse(write_json(sample_report()));
  json["records"][6]["bytes"] = 4.294967296e9;
  EXPECT_EQ(read_json(json.dump()).records[6].bytes, 4294967296);
}

TEST(JsonReader, MissingFieldsAreNamed) {
  Json json = Json::parse(write_json(sample_report()));
  json["fits"][0]["segments"][1].erase("alpha_s");
  EXPECT_EQ(refusal(json.dump()), "fits[0].segments[1].alpha_s: this field is missing");
}

}  // namespace
}  // namespace arb
