import java.util.concurrent.atomic.AtomicLong;

/**
 * A small order service with two faults that its own output does not explain.
 *
 * <p>Three threads take orders. Once a second a line tells how many were processed and how many failed; why some take
 * long and why some fail, only a probe shows. Everything is counted and nothing is random, so that each run has the
 * same faults.
 *
 * <p>Run it by {@code java DemoApp.java} (Java 11 or newer), with the number of seconds to run as argument, or without
 * one to run until it is stopped.
 */
public class DemoApp {
  static final AtomicLong ORDERS = new AtomicLong();
  static final AtomicLong PROCESSED = new AtomicLong();
  static final AtomicLong FAILED = new AtomicLong();

  public static void main(String[] args) throws InterruptedException {
    long seconds = args.length > 0 ? Long.parseLong(args[0]) : Long.MAX_VALUE;
    System.out.println("[demo] order service running - stop with Ctrl+C");
    OrderService service = new OrderService();
    for (int i = 0; i < 3; i++) {
      Thread worker = new OrderWorker(service, "order-worker-" + i);
      worker.setDaemon(true);
      worker.start();
    }
    for (long second = 0; second < seconds; second++) {
      Thread.sleep(1000);
      System.out.println("[demo] processed " + PROCESSED.get() + " orders, " + FAILED.get() + " failed");
    }
  }
}

/** Takes one order after the other. */
class OrderWorker extends Thread {
  private final OrderService service;

  OrderWorker(OrderService service, String name) {
    super(name);
    this.service = service;
  }

  @Override
  public void run() {
    while (true) {
      long order = DemoApp.ORDERS.incrementAndGet();
      try {
        service.processOrder(order);
        DemoApp.PROCESSED.incrementAndGet();
      } catch (RuntimeException e) {
        // The second fault: the order is counted, and the reason is lost.
        DemoApp.FAILED.incrementAndGet();
      }
    }
  }
}

/** What a probe looks at. */
class OrderService {
  private final AtomicLong payments = new AtomicLong();

  String processOrder(long order) {
    validateOrder(order);
    int stock = lookupInventory(order);
    String receipt = chargeCard(order);
    return receipt + " (" + stock + " left)";
  }

  void validateOrder(long order) {
    Remote.answer(5);
    if (order % 12 == 0) {
      throw new IllegalArgumentException("no delivery address in order " + order);
    }
  }

  int lookupInventory(long order) {
    Remote.answer(15 + order % 10);
    return (int) (order * 7 % 100);
  }

  String chargeCard(long order) {
    // The first fault: every tenth payment waits for a slow provider.
    boolean slow = payments.incrementAndGet() % 10 == 0;
    Remote.answer(slow ? 300 : 20 + order % 15);
    return "receipt-" + order;
  }
}

/** What the service waits for elsewhere: a database, a warehouse, a payment provider. */
class Remote {
  static void answer(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
