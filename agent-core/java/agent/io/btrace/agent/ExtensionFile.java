package io.btrace.agent;

import io.btrace.boot.NativeCore;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.jar.JarFile;

/**
 * The address of a file of an extension. It reads like any other in a jar, but what opens it asks the core: the
 * JDK's own way would open the jar a second time, and keep it open.
 */
final class ExtensionFile extends URLStreamHandler {
  private final String id;
  private final String path;

  private ExtensionFile(String id, String path) {
    this.id = id;
    this.path = path;
  }

  static URL url(String id, String path, File jar, String entry) {
    try {
      return new URL(null, "jar:" + jar.toURI() + "!/" + escape(entry), new ExtensionFile(id, path));
    } catch (MalformedURLException e) {
      return null;
    }
  }

  @Override
  protected URLConnection openConnection(URL url) throws IOException {
    return new Connection(url, id, path);
  }

  private static String escape(String entry) {
    return entry.replace("%", "%25").replace("#", "%23").replace("?", "%3f").replace(" ", "%20");
  }

  private static final class Connection extends JarURLConnection {
    private final String id;
    private final String path;
    private byte[] content;

    Connection(URL url, String id, String path) throws MalformedURLException {
      super(url);
      this.id = id;
      this.path = path;
    }

    @Override
    public void connect() throws IOException {
      if (content == null) {
        content = NativeCore.extensionFile(id, path);
        if (content == null) {
          throw new FileNotFoundException(path + " is not in extension " + id);
        }
        connected = true;
      }
    }

    @Override
    public InputStream getInputStream() throws IOException {
      connect();
      return new ByteArrayInputStream(content);
    }

    @Override
    public int getContentLength() {
      return (int) getContentLengthLong();
    }

    @Override
    public long getContentLengthLong() {
      try {
        connect();
        return content.length;
      } catch (IOException e) {
        return -1;
      }
    }

    /** For those who look for the jar; whoever asks closes it. */
    @Override
    public JarFile getJarFile() throws IOException {
      return new JarFile(new File(java.net.URI.create(getJarFileURL().toString())));
    }
  }
}
