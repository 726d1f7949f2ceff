import { inventedData } from './personal-data';

it('invents phone numbers that belong to nobody, and differ for almost all of 200 users', () => {
  const numbers = Array.from({ length: 200 }, (_, user) => inventedData(`krn:tandem:dev:user:${user}`)['phoneNumber']);
  for (const number of numbers) expect(number).toMatch(/^[2-9](?!11)[0-8]\d55501\d\d$/);
  expect(new Set(numbers).size).toBeGreaterThan(195);
});
