/**
 * An SQL condition that is true if the delivery `d` is failing: the delivery is pending, and an attempt has failed since the delivery was
 * created or replayed. The index `delivery_failing` has the same condition.
 */
export const IS_FAILING = `d.status = 'pending' and d.attempt_count > d.attempts_before_replay`;
