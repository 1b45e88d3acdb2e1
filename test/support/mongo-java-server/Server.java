// The server that stands in for MongoDB in tests: java -cp "DIRECTORY:DIRECTORY/*" Server PORT FILE
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.List;
import org.h2.mvstore.MVStore;

class Server {
  /**
   * Keeps what it has acknowledged through a SIGKILL (by itself it would write once a second), and answers with whole
   * documents: by itself it changes a document field by field while it is being sent to another client.
   */
  static class Durable extends H2Backend {
    Durable(String file) {
      super(MVStore.open(file));
    }

    @Override
    public synchronized Document handleMessage(MongoMessage message) {
      Document answer = super.handleMessage(message);
      commit();
      return answer.cloneDeeply();
    }
  }

  /** What it claims to be: by itself it claims a version that the driver no longer talks to. */
  static class Claimed implements MongoVersion {
    public List<Integer> getVersionArray() {
      return List.of(6, 0, 0);
    }

    public int getWireVersion() {
      return 17;
    }
  }

  public static void main(String[] arguments) {
    MongoServer server = new MongoServer(new Durable(arguments[1]).version(new Claimed()));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
    System.out.println(server.getConnectionString());
  }
}
