package results;

import com.google.gson.Gson;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;

/** Writes a value of many numbers in one line, where others have a line each. */
final class OneLine implements TypeAdapterFactory {
    @Override
    public <T> TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
        TypeAdapter<T> usual = gson.getDelegateAdapter(this, type);
        return new TypeAdapter<>() {
            @Override
            public void write(JsonWriter json, T value) throws IOException {
                json.jsonValue(usual.toJson(value));
            }

            @Override
            public T read(JsonReader json) throws IOException {
                return usual.read(json);
            }
        };
    }
}
