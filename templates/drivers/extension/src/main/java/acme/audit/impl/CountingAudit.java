package acme.audit.impl;

import acme.audit.Audit;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts in memory. */
public final class CountingAudit implements Audit {
  private final ConcurrentHashMap<String, AtomicLong> counts = new ConcurrentHashMap<String, AtomicLong>();

  @Override
  public long count(String name) {
    AtomicLong count = counts.get(name);
    if (count == null) {
      AtomicLong made = new AtomicLong();
      AtomicLong other = counts.putIfAbsent(name, made);
      count = other == null ? made : other;
    }
    return count.incrementAndGet();
  }
}
