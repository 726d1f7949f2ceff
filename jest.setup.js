// Long, because tests start and restart real servers.
jest.setTimeout(120_000);
