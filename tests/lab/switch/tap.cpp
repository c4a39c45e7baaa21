#include "tests/lab/switch/tap.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/lab/switch/exchange.hpp"

namespace arb::lab {

namespace {

constexpr const char* kInterface = "eth0";
constexpr int kQueuedFrames = 10000;  // whatever TCP may have under way: nothing may be dropped

ifreq request(const char* interface) {
  ifreq r{};
  std::strncpy(r.ifr_name, interface, IFNAMSIZ - 1);
  return r;
}

class Configuration {
 public:
  Configuration() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    if (socket_.get() < 0) fail("opening a socket to configure interfaces");
  }

  void apply(unsigned long what, ifreq& r, const char* words) const {
    if (::ioctl(socket_.get(), what, &r) != 0) fail(words);
  }

  void set_address(unsigned long what, const std::string& address) const {
    ifreq r = request(kInterface);
    sockaddr_in in{};
    in.sin_family = AF_INET;
    ::inet_pton(AF_INET, address.c_str(), &in.sin_addr);
    std::memcpy(&r.ifr_addr, &in, sizeof in);
    apply(what, r, "setting the IP address of a TAP device");
  }

  void set_up(const char* interface) const {
    ifreq r = request(interface);
    apply(SIOCGIFFLAGS, r, "reading the state of an interface");
    r.ifr_flags = static_cast<short>(r.ifr_flags | IFF_UP);
    apply(SIOCSIFFLAGS, r, "switching an interface on");
  }

 private:
  FileDescriptor socket_;
};

}  // namespace

std::string ip_address(int host) {
  return fmt::format("10.77.{}.{}", (host + 1) >> 8, (host + 1) & 255);
}

FileDescriptor open_tap(const NetworkNamespace& space, int host, int mtu) {
  const NetworkNamespace::Visit visit(space);
  FileDescriptor tap(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (tap.get() < 0) fail("/dev/net/tun");
  ifreq r = request(kInterface);
  r.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (::ioctl(tap.get(), TUNSETIFF, &r) != 0) fail("making a TAP device");

  const Configuration configuration;
  r = request(kInterface);
  r.ifr_hwaddr.sa_family = ARPHRD_ETHER;
  std::memcpy(r.ifr_hwaddr.sa_data, ethernet_address(host).data(), kAddressBytes);
  configuration.apply(SIOCSIFHWADDR, r, "setting the address of a TAP device");
  r = request(kInterface);
  r.ifr_mtu = mtu;
  configuration.apply(SIOCSIFMTU, r, "setting the MTU of a TAP device");
  r = request(kInterface);
  r.ifr_qlen = kQueuedFrames;
  configuration.apply(SIOCSIFTXQLEN, r, "setting the queue length of a TAP device");
  configuration.set_address(SIOCSIFADDR, ip_address(host));
  configuration.set_address(SIOCSIFNETMASK, "255.255.0.0");
  std::ofstream("/proc/sys/net/ipv6/conf/all/disable_ipv6") << 1;  // no chatter; may be absent
  configuration.set_up("lo");
  configuration.set_up(kInterface);
  return tap;
}

std::uint64_t dropped_frames(const NetworkNamespace& space) {
  const NetworkNamespace::Visit visit(space);
  std::ifstream file("/proc/thread-self/net/dev");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name != std::string(kInterface) + ":") continue;
    // receive: bytes packets errs drop fifo frame compressed multicast; transmit: bytes packets
    // errs drop
    std::uint64_t value = 0;
    for (int k = 0; k < 12; ++k) words >> value;
    return value;
  }
  return 0;
}

}  // namespace arb::lab
