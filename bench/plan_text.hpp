// A plan as text: the leader of a job makes it, the others read it.
#pragma once

#include <string>
#include <vector>

#include "bench/plan.hpp"

namespace arb {

std::string cases_to_text(const std::vector<Case>& cases);
std::vector<Case> cases_from_text(const std::string& text);

}  // namespace arb
