// Which planted fault is on, by its number in the environment; none is 0.

#pragma once

#include <cstdlib>

inline int ScatterFaultNumber() {
  const char* number = std::getenv("SCATTER_FAULT");
  return number == nullptr ? 0 : std::atoi(number);
}

inline const int kScatterFault = ScatterFaultNumber();

inline bool scatter_fault(int number) { return kScatterFault == number; }
