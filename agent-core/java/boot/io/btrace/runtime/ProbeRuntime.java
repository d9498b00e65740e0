package io.btrace.runtime;

import io.btrace.boot.NativeCore;

/** What a service may use of one probe. Once the probe has gone, its lines are the agent's. */
final class ProbeRuntime implements BTraceRuntime.Impl {
  private final int number;

  ProbeRuntime(int number) {
    this.number = number;
  }

  @Override
  public void send(String message) {
    NativeCore.write(number, message + "\n");
  }

  @Override
  public String getClassName() {
    Probe probe = HandlerRepository.get(number);
    return probe == null ? null : probe.name;
  }

  @Override
  public int getInstrumentationLevel() {
    Probe probe = HandlerRepository.get(number);
    return probe == null ? 0 : probe.level();
  }

  @Override
  public void setInstrumentationLevel(int level) {
    Probe probe = HandlerRepository.get(number);
    if (probe != null) {
      probe.setLevel(level);
    }
  }
}
