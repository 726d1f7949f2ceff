import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.InputStreamReader;
import org.openapitools.client.JSON;
import org.openapitools.client.model.AbstractOpenApiSchema;

/** Reads pairs of a schema and a value, decodes each value, and prints its class (for a union, the class of the variant), or "refused" if the value does not fit. */
public class Decode {
  public static void main(String[] arguments) throws Exception {
    new JSON();
    for (JsonElement pair : JsonParser.parseReader(new InputStreamReader(System.in, "UTF-8")).getAsJsonArray()) {
      JsonArray both = pair.getAsJsonArray();
      System.out.println(decoded(both.get(0).getAsString(), both.get(1)));
    }
  }

  private static String decoded(String schema, JsonElement value) throws ClassNotFoundException {
    Class<?> type = Class.forName("org.openapitools.client.model." + schema);
    try {
      Object read = JSON.getGson().fromJson(value, type);
      Object variant = read instanceof AbstractOpenApiSchema ? ((AbstractOpenApiSchema) read).getActualInstance() : read;
      return variant.getClass().getSimpleName();
    } catch (RuntimeException error) {
      return "refused";
    }
  }
}
