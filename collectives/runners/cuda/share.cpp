#include "collectives/runners/cuda/share.hpp"

#include <iterator>
#include <set>

namespace arb {

std::vector<std::vector<int>> first_free_gpus(const std::vector<std::vector<std::string>>& visible,
                                              int gpus_of_each) {
  std::set<std::string> taken;
  std::vector<std::vector<int>> all;
  for (const std::vector<std::string>& seen : visible) {
    std::vector<int>& devices = all.emplace_back();
    for (size_t i = 0; i < seen.size() && std::ssize(devices) < gpus_of_each; ++i) {
      if (taken.insert(seen[i]).second) devices.push_back(static_cast<int>(i));
    }
  }
  return all;
}

}  // namespace arb
