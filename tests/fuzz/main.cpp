// Random tiny problems against the oracle.
// usage: dpdtree_fuzz [--seed N] [--cases N] [--minutes X] [--failures N] [--case I]
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "checks.hpp"

namespace {

using namespace dpdtree::fuzz;

struct Options {
  unsigned long long seed = 0;
  unsigned long long cases = 100'000;
  unsigned long long first = 0;
  unsigned long long failures = 5;  // after which to give up
  double minutes = 1e9;
};

Options parsed(int argc, char** argv) {
  Options out;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seed") out.seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--cases") out.cases = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--failures") out.failures = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--minutes") out.minutes = std::strtod(argv[i + 1], nullptr);
    if (name == "--case") {
      out.first = std::strtoull(argv[i + 1], nullptr, 10);
      out.cases = out.first + 1;
    }
  }
  return out;
}

// Where a crash or an endless case can be found again.
Options running;
volatile unsigned long long running_case = 0;

void name_the_case(int signal) {
  char text[200];
  const int n = std::snprintf(
      text, sizeof text,
      "\n# seed %llu, case %llu: %s; again: --seed %llu --case %llu\n", running.seed,
      running_case, signal == SIGALRM ? "no end after a minute" : "crash", running.seed,
      running_case);
  if (write(STDOUT_FILENO, text, static_cast<std::size_t>(n)) < 0) _exit(3);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

Verdict checked(const Problem& problem) {
  try {
    return check(problem);
  } catch (const std::exception& error) {
    Verdict out;
    out.findings.push_back({std::string("threw: ") + error.what(), problem.params});
    return out;
  }
}

void print(const Options& options, unsigned long long number, const Problem& problem,
           const Verdict& verdict) {
  std::printf("\n# seed %llu, case %llu: the best objective is %.17g\n", options.seed,
              number, verdict.best);
  for (const Finding& finding : verdict.findings)
    std::printf("# %s%s: %s\n", finding.params.strategy.c_str(),
                finding.params.time_limit < 0 ? "" : " with a time limit",
                finding.what.c_str());
  const Finding& first = verdict.findings.front();
  std::printf("%s", python_code(problem, first.params).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parsed(argc, argv);
  running = options;
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGALRM})
    std::signal(signal, name_the_case);
  std::printf("seed %llu\n", options.seed);
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    const std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count();
  };
  unsigned long long number = options.first, fits = 0, failures = 0;
  for (; number < options.cases && failures < options.failures; ++number) {
    if (number % 64 == 0 && seconds() > 60 * options.minutes) break;
    running_case = number;
    alarm(60);
    const Problem problem = random_problem(options.seed, number);
    const Verdict verdict = checked(problem);
    fits += verdict.fits;
    if (verdict.findings.empty()) continue;
    ++failures;
    print(options, number, problem, verdict);
    std::fflush(stdout);
  }
  std::printf("%llu cases, %llu fits, %llu failures in %.1f s\n",
              number - options.first, fits, failures, seconds());
  return failures > 0 ? 1 : 0;
}
