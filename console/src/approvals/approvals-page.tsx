import { Page } from '../parts/page.js';

export const ApprovalsPage = () => <Page title="ApprovalsPage">…</Page>;
