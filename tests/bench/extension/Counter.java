package bench.service;

import io.btrace.core.extensions.ServiceDescriptor;

/** A service that does next to nothing. */
@ServiceDescriptor
public interface Counter {
    void count(int value);
}
