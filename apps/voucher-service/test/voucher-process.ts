import { run } from '@tandem/service-defaults';
import { app } from '../src/app';

// A voucher-service in a process that tests kill. It exits when its parent is gone.
void run(app);
