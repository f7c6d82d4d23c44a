package probe.driver;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Executors;
import probe.driver.v1.Event;
import probe.driver.v1.Events;
import probe.driver.v1.FromDriver;
import probe.driver.v1.Hello;
import probe.driver.v1.Ping;
import probe.driver.v1.Pong;
import probe.driver.v1.ToDriver;

/**
 * The stream to the orchestrator.
 *
 * <p>Its method is described by hand: it is the only one, so the build needs protoc alone and no plugin.
 */
final class Session extends ClientCall.Listener<ToDriver> {
    private static final MethodDescriptor<FromDriver, ToDriver> ATTACH = MethodDescriptor
            .newBuilder(marshaller(FromDriver.parser()), marshaller(ToDriver.parser()))
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName("probe.driver.v1.Orchestrator/Attach")
            .build();

    private final ClientCall<FromDriver, ToDriver> call;
    private final Instances instances;

    private Session(ClientCall<FromDriver, ToDriver> call, Instances instances) {
        this.call = call;
        this.instances = instances;
    }

    /**
     * Opens the stream. Messages arrive on a thread of their own: the transport calls a direct executor with its lock
     * held, and a Pong that then waits for a sender blocks for ever.
     */
    static Session dial(String address, Instances instances) {
        ManagedChannel channel = ManagedChannelBuilder.forTarget(address).usePlaintext()
                .executor(Executors.newSingleThreadExecutor(body -> Driver.daemon("session", body)))
                .disableRetry().disableServiceConfigLookUp().build();
        Session session = new Session(channel.newCall(ATTACH, CallOptions.DEFAULT), instances);
        session.call.start(session, new Metadata());
        session.call.request(Integer.MAX_VALUE);
        return session;
    }

    void hello(String token, Application application) {
        send(FromDriver.newBuilder().setHello(Hello.newBuilder()
                .setToken(token)
                .setFamily(application.family())
                .setVersion(application.version())
                .setRuntime("java " + System.getProperty("java.version"))
                .addAllRoles(application.roles())
                .addAllProfiles(application.profiles())).build());
    }

    void events(List<Event> events) {
        send(FromDriver.newBuilder().setEvents(Events.newBuilder().addAllEvents(events)).build());
    }

    /** A call allows one thread at a time. */
    private synchronized void send(FromDriver message) {
        call.sendMessage(message);
    }

    @Override
    public void onMessage(ToDriver message) {
        switch (message.getMessageCase()) {
            case PING -> pong(message.getPing());
            case START -> instances.start(message.getStart());
            case STOP -> instances.stop(message.getStop());
            case PACE -> instances.pace(message.getPace());
            case HANDLE -> instances.handle(message.getHandle());
            default -> System.err.println("an unknown message was ignored");
        }
    }

    private void pong(Ping ping) {
        send(FromDriver.newBuilder()
                .setPong(Pong.newBuilder().setId(ping.getId()).setClockUs(Reports.clock())).build());
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        if (!status.isOk()) {
            System.err.println("stream to the orchestrator ended: " + status);
        }
        Folders.halt();
    }

    private static <T extends MessageLite> MethodDescriptor.Marshaller<T> marshaller(Parser<T> parser) {
        return new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(T value) {
                return new ByteArrayInputStream(value.toByteArray());
            }

            @Override
            public T parse(InputStream stream) {
                try {
                    return parser.parseFrom(stream.readAllBytes());
                } catch (InvalidProtocolBufferException e) {
                    throw Status.INTERNAL.withDescription("not a message of driver.proto").withCause(e)
                            .asRuntimeException();
                } catch (IOException e) {
                    throw Status.UNAVAILABLE.withCause(e).asRuntimeException();
                }
            }
        };
    }
}
