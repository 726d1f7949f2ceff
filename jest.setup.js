// Real servers start and restart inside tests; no test asserts time.
jest.setTimeout(120_000);
