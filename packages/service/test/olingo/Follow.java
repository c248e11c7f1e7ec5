import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import org.apache.olingo.client.api.ODataClient;
import org.apache.olingo.client.api.communication.request.retrieve.ODataDeltaRequest;
import org.apache.olingo.client.api.communication.request.retrieve.ODataEntitySetRequest;
import org.apache.olingo.client.api.communication.response.ODataRetrieveResponse;
import org.apache.olingo.client.api.domain.ClientDelta;
import org.apache.olingo.client.api.domain.ClientDeletedEntity;
import org.apache.olingo.client.api.domain.ClientEntity;
import org.apache.olingo.client.api.domain.ClientEntitySet;
import org.apache.olingo.client.core.ODataClientFactory;
import org.apache.olingo.commons.api.format.ContentType;

/**
 * Keeps a copy of the set at the address of the first argument by Apache Olingo's client. The second is the name of its key, the third the format.
 * After the first walk, and after each line of the input, it follows the delta link, and prints the copy: a line for each record, and an empty one.
 */
public class Follow {
  private static final ODataClient client = ODataClientFactory.getClient();
  private static final Map<String, String> copy = new TreeMap<>();
  private static String key;
  private static URI link;

  public static void main(String[] args) throws Exception {
    key = args[1];
    client.getConfiguration().setDefaultPubFormat(ContentType.create(args[2]));
    for (URI page = URI.create(args[0]); page != null;) page = walk(page);
    print();
    java.io.BufferedReader lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
    while (lines.readLine() != null) {
      for (URI page = link; page != null;) page = follow(page);
      print();
    }
  }

  private static URI walk(URI page) {
    ODataEntitySetRequest<ClientEntitySet> request = client.getRetrieveRequestFactory().getEntitySetRequest(page);
    request.setPrefer(client.newPreferences().trackChanges());
    ClientEntitySet set = request.execute().getBody();
    set.getEntities().forEach(Follow::put);
    link = set.getDeltaLink();
    return set.getNext();
  }

  private static URI follow(URI page) {
    ODataDeltaRequest request = client.getRetrieveRequestFactory().getDeltaRequest(page);
    request.setPrefer(client.newPreferences().trackChanges());
    ODataRetrieveResponse<ClientDelta> response = request.execute();
    ClientDelta delta = response.getBody();
    for (ClientDeletedEntity gone : delta.getDeletedEntities()) {
      String id = gone.getId().toString();
      copy.remove(id.substring(id.indexOf("('") + 2, id.lastIndexOf("')")));
    }
    delta.getEntities().forEach(Follow::put);
    link = delta.getDeltaLink();
    return delta.getNext();
  }

  private static void put(ClientEntity entity) {
    Map<String, String> values = new TreeMap<>();
    entity.getProperties().forEach(one -> values.put(one.getName(), String.valueOf(one.getValue())));
    copy.put(entity.getProperty(key).getValue().toString(), values.toString());
  }

  private static void print() {
    copy.values().forEach(System.out::println);
    System.out.println();
    System.out.flush();
  }
}
