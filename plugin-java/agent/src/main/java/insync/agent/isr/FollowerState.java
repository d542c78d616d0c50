package insync.agent.isr;

import insync.core.FollowerFetches;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;

/** The fields that Kafka's Replica gets, and {@link FollowerCarrier} over them. */
public final class FollowerState {
    public static final String FETCHES = "insync$fetches";
    public static final String ELECTED = "insync$electedMs";

    private FollowerState() { }

    /** Gives the class of a remote replica the fields. */
    public static DynamicType.Builder<?> carry(DynamicType.Builder<?> builder) {
        return builder
            .defineField(FETCHES, FollowerFetches.class, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .defineField(ELECTED, long.class, Visibility.PRIVATE, FieldManifestation.VOLATILE)
            .implement(FollowerCarrier.class)
            .defineMethod(FETCHES, FollowerFetches.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField(FETCHES))
            .defineMethod(FETCHES, void.class, Visibility.PUBLIC).withParameters(FollowerFetches.class)
            .intercept(FieldAccessor.ofField(FETCHES))
            .defineMethod(ELECTED, long.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField(ELECTED));
    }
}
