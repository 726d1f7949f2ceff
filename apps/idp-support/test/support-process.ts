import { run } from '@tandem/service-defaults';
import { app } from '../src/app';

// An idp-support in a process of its own, to be killed. It ends by itself when its parent is gone.
void run(app);
