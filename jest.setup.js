// The time limit of a test is long, because tests start and restart real servers.
jest.setTimeout(120_000);
