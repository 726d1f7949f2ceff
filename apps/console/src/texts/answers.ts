interface Answer {
  /** The state of the user. */
  readonly state: string;
  /** What support can do next. */
  readonly next: string;
  /** False if the API's own words only repeat this answer. */
  readonly hasDetails?: boolean;
}

const NOTHING = 'Nothing.';
const ENTER_DATA = 'Ask the user to enter the personal data in the app.';
/** A placeholder for the advice about the products. The placeholder is shown only if the API's answer about them is newer than the console. */
const SEE_PRODUCTS = 'Read the answer about the products.';
/** What happened to the personal data that a user without a profile has just entered. */
const NOT_STORED = {
  removal_pending:
    'it was not accepted, or the vendor did not answer, and nothing was stored here: ask the user to check it and to try again.',
  removal_failing: 'the identity vendor failed, and nothing was stored here: ask the user to try again later.',
};
const UNHANDLED: Answer = {
  state: 'No. Our platform could not process a message about this user, which may be the cause.',
  next: 'Give the details to an engineer, who can process the message again.',
};

/** The answers to the questions about a user, by the verdicts of the support API, which docs/on-call.md lists. */
export const answerTexts = {
  next: 'What to do:',
  questions: {
    locked: 'Is the user locked out?',
    enrolled: 'Does the user have all products?',
    alerts: 'Do alerts reach the user?',
  },
  /** The answers that depend on more than the verdict. */
  special: {
    notPaid: {
      state: 'No, but no identity protection is paid for now, so the user cannot use it.',
      next: 'Nothing to unlock. See the answer about the products.',
      hasDetails: false,
    },
    noPlanKnown: {
      state: 'No. Our platform knows of no plan with identity protection for this user.',
      next: 'Nothing to unlock. See the answer about the products.',
      hasDetails: false,
    },
    notEntered: {
      state:
        'No. There is no profile yet: the identity check takes place when the user enters the personal data in the app.',
      next: ENTER_DATA,
      hasDetails: false,
    },
    seeProducts: SEE_PRODUCTS,
    lockedUntil: (until: string, failed: number, left: number) =>
      [
        `Yes, locked until ${until}: identity check ${failed} of ${failed + left} failed. The user can try again then.`,
        ...(left === 1 ? ['If the next check fails too, only support can end the lock.'] : []),
      ].join(' '),
    lockScope: 'A lock only stops identity checks: products stay active, and alerts still reach the user.',
    /** What to do about a lock of a user without a profile, whose stored data cannot be changed. */
    lockedWithoutProfile: {
      waiting:
        'Ask the user to check the personal data and to wait. If the user cannot wait, choose “Unlock the user”.',
      maximum:
        'Ask the user to check the personal data. Then choose “Unlock the user”, so that the user can try again.',
    } as Readonly<Record<string, string>>,
    seeLock: 'Do what the answer about the lock says. The user cannot enter the personal data while the lock lasts.',
    repeatCheck: 'Ask the user to repeat the identity check in the app.',
    waitUntil: (at: string) => `Wait until ${at}, then check this page again.`,
    oldVersion: {
      state:
        'Yes. All products that the plan includes are active in product version 0, which the user has. Version 1 has more products.',
      next: 'Nothing. The app adds the other products when it moves the user to version 1.',
      hasDetails: false,
    },
    unchecked: {
      state: 'Yes, according to our records. The vendor did not answer, so this could not be checked.',
      next: NOTHING,
    },
    alertsNotShown: {
      state:
        'No. The vendor has reported an alert from a credit bureau that our platform does not know. The user sees this alert only once the vendor lists it.',
      next: 'Give the details to an engineer.',
    },
    alertsInPart: (products: string) =>
      `Yes, but only in part: the active products have found nothing so far. These products are not active: ${products}.`,
    notActiveYet: (count: number, all: number) =>
      `${count} of ${all} products ${count === 1 ? 'is' : 'are'} not active yet, so nothing is monitored for ${count === 1 ? 'it' : 'them'}.`,
    /** What is still to do at the vendor for a user whom support has erased. */
    erasing: {
      removal_pending: {
        state: 'No. Support erased the user, and the vendor has not deleted the user yet. This happens automatically.',
        next: 'Check this page again in a few minutes.',
        enteredAgain: `If the user has just entered the personal data again, ${NOT_STORED.removal_pending}`,
      },
      removal_failing: {
        state: 'No. Support erased the user, and the vendor has not deleted the user yet: an attempt failed.',
        next: 'Do not tell the customer yet that everything is deleted. The next attempt is automatic; if it fails too, give the details to an engineer.',
        enteredAgain: `If the user has just entered the personal data again, ${NOT_STORED.removal_failing}`,
      },
    } as Readonly<Record<string, Answer & { readonly enteredAgain: string }>>,
    erased: {
      enrolled: {
        state:
          'No. Support erased the user, so there are no products. The receipt of the erasure is at the top of this page.',
        next: 'Nothing. Do not ask the user for the personal data again, unless the user asks for protection again.',
      },
      alerts: { state: 'No. Support erased the user, so there are no alerts.', next: NOTHING },
    },
    stillPaid: 'The plan is still paid for: whether it should end is a question for billing.',
  },
  answers: {
    locked: {
      not_locked: {
        state: 'No. The user can do an identity check now.',
        next: 'Nothing. The identity is confirmed, so the user has nothing more to do either.',
        hasDetails: false,
      },
      waiting: {
        state: 'Yes, for a while: an identity check failed. The user can try again when the wait is over.',
        next: 'Ask the user to check the personal data and to wait. If the user cannot wait, choose “Unlock the user”. If stored data is wrong, choose “Change the personal data”, which ends the lock too.',
      },
      maximum: {
        state: 'Yes, and waiting does not help: too many identity checks failed.',
        next: 'Ask the user to check the personal data. If stored data is wrong, choose “Change the personal data”, which ends the lock. Otherwise, choose “Unlock the user”, so that the user can try again.',
      },
    } as Record<string, Answer>,
    enrolled: {
      enrolled: { state: 'Yes. All products that the plan includes are active.', next: NOTHING, hasDetails: false },
      waiting: {
        state:
          'Not certain yet: the products will be compared with those at the vendor. Differences are corrected automatically.',
        next: 'Check this page again in a few minutes.',
      },
      vendor_failing: {
        state:
          'Not certain: our platform could not compare or correct the products at the vendor, and tries again automatically.',
        next: 'Check this page again in a few minutes. If the answer is the same, give the details to an engineer.',
      },
      no_profile: {
        state: 'No. The plan is paid for, but there is no profile.',
        next: ENTER_DATA,
      },
      removal_pending: {
        state:
          'No. There is no profile here. Our platform is making sure that nothing about the user is left at the vendor, which happens automatically.',
        next: `Check this page again in a few minutes. If the user has just entered the personal data in the app, ${NOT_STORED.removal_pending}`,
      },
      removal_failing: {
        state:
          'No. There is no profile here. Our platform could not yet make sure that nothing about the user is left at the vendor: an attempt failed.',
        next: `If the user has just entered the personal data in the app, ${NOT_STORED.removal_failing} Do not tell the customer yet that the vendor stores nothing. The next attempt is automatic; if it fails too, give the details to an engineer.`,
      },
      no_subscription: {
        state:
          'No. We have no record of a subscription of this user. (Records are deleted 13 months after a subscription ends.)',
        next: 'Check in billing whether the customer bought a plan, and with which account. If it was this account, give the details to an engineer.',
      },
      payment_not_captured: {
        state: 'No. Billing has not reported a completed payment.',
        next: 'Check the payment in billing. If it is complete, give the details to an engineer.',
      },
      subscription_ended: {
        state: 'No. The subscription has ended.',
        next: 'If the customer wants protection again, a renewal or a new purchase is needed. If billing already shows one, give the details to an engineer.',
      },
      plan_without_identity: {
        state: 'No. The plan that the user pays for does not include identity protection.',
        next: 'Check the plan in billing. If it includes identity protection, give the details to an engineer.',
      },
      ended_by_vendor: {
        state: 'No. The vendor itself ended a product, which is not started again automatically.',
        next: 'If the customer should have the product again, choose “Correct the products”.',
      },
      out_of_line: {
        state: 'No. A product should be active, but is not. This is a fault of our platform.',
        next: 'Choose “Correct the products”, and give the details to an engineer.',
      },
      dead_letter: UNHANDLED,
    } as Record<string, Answer>,
    alerts: {
      has_alerts: {
        state: 'Yes. There are alerts for the user in the app.',
        next: 'If the user sees none, ask the user to show the alerts of all bureaus and kinds, including those already read.',
      },
      no_alerts: {
        state: 'Yes. The vendor monitors the user’s data, and has found nothing so far.',
        next: NOTHING,
        hasDetails: false,
      },
      samples: {
        state: 'Yes, but only sample alerts, which are turned on for the user. There are no real alerts so far.',
        next: 'If the user does not want samples, ask the user to turn them off.',
        hasDetails: false,
      },
      not_enrolled: { state: 'No. No product that finds alerts is active.', next: SEE_PRODUCTS },
      no_profile: { state: 'No. Without a profile, there are no alerts.', next: SEE_PRODUCTS },
      unknown_at_vendor: {
        state: 'No. The vendor does not know the user, so the app shows an error.',
        next: SEE_PRODUCTS,
      },
      vendor_unavailable: {
        state: 'No, not right now: the vendor is not answering, so the app may show an error instead of alerts.',
        next: 'Ask the user to try again later. If this answer is the same after a few minutes, give the details to an engineer.',
      },
      dead_letter: UNHANDLED,
    } as Record<string, Answer>,
  },
} as const;
