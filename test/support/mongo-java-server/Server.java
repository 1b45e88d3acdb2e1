// Stands in for MongoDB in tests. Usage: java -cp "DIRECTORY:DIRECTORY/*" Server PORT FILE
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.List;
import org.h2.mvstore.MVStore;

class Server {
  /**
  * Commits after each message, so that acknowledged writes survive a SIGKILL. H2Backend commits once a second. Responds with
   * copies of documents, because H2Backend changes documents field by field while it sends them to another client.
   */
  static class Durable extends H2Backend {
    Durable(String file) {
      super(MVStore.open(file));
    }

    @Override
    public synchronized Document handleMessage(MongoMessage message) {
      Document response = super.handleMessage(message);
      commit();
      return response.cloneDeeply();
    }
  }

  /** The version that the server reports. The driver no longer supports the default version of H2Backend. */
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
