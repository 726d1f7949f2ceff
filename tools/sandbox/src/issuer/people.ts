import { krnOf } from '../krn';

/** A person who can sign in to the console of a development stack. */
export interface Person {
  readonly name: string;
  /** The `sub` of the person's tokens. */
  readonly subject: string;
  /** The scopes that the person is granted. */
  readonly rights: readonly string[];
  readonly about: string;
}

/** The scopes that users of the console can have. */
export const RIGHTS = ['partner:manage', 'support'] as const;

export const PEOPLE: Readonly<Record<string, Person>> = {
  manager: {
    name: 'Mia Manager',
    subject: krnOf('mia-manager'),
    rights: ['partner:manage'],
    about: 'Partner manager: partners, sales, postbacks',
  },
  support: {
    name: 'Sam Support',
    subject: krnOf('sam-support'),
    rights: ['support'],
    about: 'Support: users of identity protection',
  },
  both: {
    name: 'Alex Admin',
    subject: krnOf('alex-admin'),
    rights: RIGHTS,
    about: 'Partner manager and support',
  },
  nobody: {
    name: 'Nora Newcomer',
    subject: krnOf('nora-newcomer'),
    rights: [],
    about: 'An account without any right',
  },
};

/** Finds the person with the `sub` of a token. */
export const personOf = (subject: string): Person | undefined =>
  Object.values(PEOPLE).find((person) => person.subject === subject);
