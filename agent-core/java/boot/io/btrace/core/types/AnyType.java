package io.btrace.core.types;

/**
 * Stands in a handler's signature for a value of any type. Primitive values arrive boxed; {@code AnyType[]} as the last
 * parameter takes all arguments of the probed method. The agent rewrites it to {@link Object} when it loads a probe, so
 * no object is ever an instance of this interface.
 */
public interface AnyType {}
