package bench.service;

import io.btrace.core.extensions.Extension;
import io.btrace.core.extensions.ExtensionContext;

/** Begins as most extensions do: with a setting. */
public class CounterImpl extends Extension implements Counter {
    private long total;

    @Override
    public void initialize(ExtensionContext context) {
        super.initialize(context);
        total = Long.parseLong(context.getSettings().getOrDefault("start", "0"));
    }

    @Override
    public void count(int value) {
        total += value;
    }
}
