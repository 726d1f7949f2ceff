export const personTexts = {
  you: 'You',
  only: 'List only the actions of this person',
} as const;
