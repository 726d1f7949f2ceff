/**
 * The condition that a delivery `d` is failing: it is pending, and an attempt has failed since it was created or replayed. The index
 * `delivery_failing` has the same condition.
 */
export const IS_FAILING = `d.status = 'pending' and d.attempt_count > d.attempts_before_replay`;
