// The program as mpirun starts it: several processes, of which the test sees each.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "tests/program/process.hpp"

namespace arb {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

Words operator+(Words first, const Words& second);

/// A command line for Process: the program under mpirun, with what root, containers and more ranks
/// than cores need.
Words under_mpirun(int processes, const Words& arguments);
/// The same with other arguments for the later processes.
Words under_mpirun(int processes, const Words& arguments, int others, const Words& of_others);
/// The program alone, as if a launcher had set `variables`.
Words alone(const Words& arguments, const Variables& variables = {});

Finished run_job(int processes, const Words& arguments);
Finished run_words(const Words& words);

/// Options that make a case short.
Words brief(const Words& more);

/// Processes of the program, by rank, whose arguments contain `marker`; those that ended but were
/// not waited for are not among them.
std::map<int, pid_t> ranks_with(const std::string& marker);
/// Waits until there are `count` of them.
std::map<int, pid_t> wait_for_ranks(const std::string& marker, size_t count);
/// Are there none any more, within a time that is enough for a loaded machine?
bool all_ended(const std::string& marker);

/// Seconds of work a process has done.
double work_seconds(pid_t process);

/// Does the report on disk have so many records in time? It is valid JSON at every moment.
bool has_records(const std::string& path, size_t records, double seconds);
void wait_for_records(const std::string& path, size_t records);

size_t times_said(const std::string& text, const std::string& words);

}  // namespace arb
