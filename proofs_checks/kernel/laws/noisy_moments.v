(* Noise on the upper triangle of the second-moment matrix, for every length d of a record and every number n of them:
   the guarantees of the Laplace and the Gaussian mechanisms of the documents at their scales, as printed or repaired.
   The matrix that is released is a function of the triangle. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise gaussian_noise second_moment exponential_bound.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section laplace.
Variables (R : realType) (d n : nat).
(* data sets of n records *)
Definition average (X : seq 'rV[R]_d) : 'rV[R]_(triangle_size d) := (n%:R)^-1 *: triangle (moment X).
Definition sized_replace_one (X Y : seq 'rV[R]_d) : Prop := size X = n /\ replace_one 1 X Y.

(* Algorithm 1 at its printed scale; the copy below the diagonal is a function of the triangle *)
Theorem laplace_perturbation_is_private (eps : R) : 0 < eps -> (0 < n)%N -> (0 < d)%N ->
  let scale := 2%:R * d%:R / (n%:R * eps) in
  differentially_private sized_replace_one eps 0 (fun X => noisy (laplace_noise scale) (average X)).
Proof.
move=> eps0 n0 d0 scale; have nn : 0 < n%:R :> R by rewrite ltr0n.
apply: (@laplace_noise_is_private _ _ _ _ _ _ _ (2%:R * d%:R / n%:R)) => //.
- by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
- move=> X Y [_ xy]; rewrite /average -scalerBr /l1_norm.
  under eq_bigr do rewrite mxE normrM ger0_norm ?invr_ge0//.
  by rewrite -mulr_sumr mulrC ler_wpmul2r ?invr_ge0//; exact: triangle_l1_replaced.
- by rewrite /scale invfM mulrA.
Qed.
End laplace.

Section gaussian.
Variable R : realType.

(* z = sqrt(2 log(1/delta)): half of delta lies beyond z standard deviations *)
Definition quantile_bound (delta : R) : R := Num.sqrt (2%:R * ln (delta^-1)).
Lemma quantile_ge0 delta : 0 <= quantile_bound delta. Proof. exact: sqrtr_ge0. Qed.
Lemma quantileE delta : 0 < delta -> delta <= 1 -> expR (- (quantile_bound delta ^+ 2 / 2%:R)) = delta.
Proof.
move=> d0 d1; rewrite sqr_sqrtr; last by rewrite mulr_ge0// ln_ge0// invf_ge1.
by rewrite mulrAC divff ?mul1r ?pnatr_eq0// expRN lnK ?posrE ?invr_gt0// invrK.
Qed.

(* the positive root t of eps t - 1 / (2 t) = z *)
Definition root_deviation (eps delta : R) : R :=
  let z := quantile_bound delta in (z + Num.sqrt (z ^+ 2 + 2%:R * eps)) / (2%:R * eps).
Lemma root_deviation_gt0 eps delta : 0 < eps -> 0 < root_deviation eps delta.
Proof.
move=> eps0; have e2 : 0 < 2%:R * eps by rewrite mulr_gt0.
by rewrite divr_gt0// ltr_paddl ?quantile_ge0// sqrtr_gt0 ltr_paddl ?sqr_ge0.
Qed.
Lemma root_deviationE eps delta : 0 < eps ->
  eps * root_deviation eps delta - 1 / (2%:R * root_deviation eps delta) = quantile_bound delta.
Proof.
move=> eps0; rewrite /root_deviation; set z := quantile_bound delta; have z0 : 0 <= z by exact: quantile_ge0.
pose w := Num.sqrt (z ^+ 2 + 2%:R * eps); rewrite -/w.
have e2 : 0 < 2%:R * eps by rewrite mulr_gt0.
have ww : w ^+ 2 = z ^+ 2 + 2%:R * eps by rewrite sqr_sqrtr// addr_ge0 ?sqr_ge0// ltW.
have w0 : 0 < w by rewrite sqrtr_gt0 ltr_paddl ?sqr_ge0.
have zw0 : 0 < z + w by rewrite ltr_paddl.
have -> : eps * ((z + w) / (2%:R * eps)) - 1 / (2%:R * ((z + w) / (2%:R * eps))) =
          ((z + w) ^+ 2 - 2%:R * eps) / (2%:R * (z + w)).
  by field; rewrite !gt_eqF.
have -> : (z + w) ^+ 2 - 2%:R * eps = z * (2%:R * (z + w)).
  have -> : 2%:R * eps = w ^+ 2 - z ^+ 2 by rewrite ww addrC addKr.
  ring.
by rewrite mulfK// mulf_neq0 ?pnatr_eq0// gt_eqF.
Qed.

(* a statistic whose Euclidean change is at most s, with deviation s t, t at least the root *)
Theorem sufficient_deviation_is_private (D : Type) (neighbours : D -> D -> Prop) n (q : D -> 'rV[R]_n)
    (s t eps delta : R) :
  0 < s -> 0 < eps -> 0 < delta -> delta <= 1 -> root_deviation eps delta <= t ->
  (forall x y, neighbours x y -> squared_norm (q x - q y) <= s ^+ 2) ->
  differentially_private neighbours eps (delta / 2%:R) (fun x => noisy (gaussian_noise (s * t)) (q x)).
Proof.
move=> s0 eps0 d0 d1 rt sens; have r0 := root_deviation_gt0 delta eps0; have t0 := lt_le_trans r0 rt.
rewrite -[X in X / 2%:R](quantileE d0 d1).
apply: (gaussian_noise_is_private _ s0 (ltW eps0) (quantile_ge0 delta) sens); first exact: mulr_gt0.
have -> : eps * (s * t) / s - s / (2%:R * (s * t)) = eps * t - 1 / (2%:R * t) by field; rewrite !gt_eqF.
rewrite -(root_deviationE delta eps0) ler_sub ?ler_pmul2l//.
by rewrite lef_pinv ?posrE ?(@mulr_gt0 R 2%:R)// ler_pmul2l.
Qed.

(* the deviation (1 + z) / eps of the slides, and the root where that is more *)
Definition repaired_deviation (eps delta : R) : R := Num.max ((1 + quantile_bound delta) / eps) (root_deviation eps delta).

(* a row of norm at most r appears or disappears, or is replaced *)
Theorem noisy_moment_is_private d (r eps delta : R) : 0 < r -> 0 < eps -> 0 < delta -> delta <= 1 ->
  let law s := fun X : seq 'rV[R]_d => noisy (gaussian_noise (s * repaired_deviation eps delta)) (triangle (moment X)) in
  differentially_private (@add_remove_one R d r) eps (delta / 2%:R) (law (r ^+ 2)) /\
  differentially_private (@replace_one R d r) eps (delta / 2%:R) (law (Num.sqrt 2%:R * r ^+ 2)).
Proof.
move=> r0 eps0 d0 d1 law; have large : root_deviation eps delta <= repaired_deviation eps delta.
  by rewrite le_maxr lexx orbT.
split.
- apply: sufficient_deviation_is_private => // [|X Y xy]; first exact: exprn_gt0.
  by rewrite -exprM; exact: triangle_added.
- apply: sufficient_deviation_is_private => // [|X Y xy]; first by rewrite mulr_gt0 ?sqrtr_gt0// exprn_gt0.
  by rewrite exprMn sqr_sqrtr// -exprM mulr_natl; exact: triangle_replaced.
Qed.

(* the constant of the textbooks, for eps <= 1: c^2 > 2 ln(1.25/delta) and deviation at least c s / eps *)
Lemma textbook_gaussian (D : Type) (neighbours : D -> D -> Prop) n (q : D -> 'rV[R]_n) (s eps delta c sigma : R) :
  0 < s -> 0 < eps -> eps <= 1 -> 0 < delta -> 0 < c -> 1 <= 2%:R * c ^+ 2 ->
  (forall x y, neighbours x y -> squared_norm (q x - q y) <= s ^+ 2) ->
  2%:R * ln (5%:R / 4%:R / delta) < c ^+ 2 -> c * s / eps <= sigma ->
  differentially_private neighbours eps delta (fun x => noisy (gaussian_noise sigma) (q x)).
Proof.
move=> s0 eps0 eps1 d0 c0 c2 sens cd cs; have sg : 0 < sigma by rewrite (lt_le_trans _ cs)// divr_gt0 ?mulr_gt0.
pose t := c - 1 / (2%:R * c); have cc0 : 0 < 2%:R * c by rewrite mulr_gt0.
have t0 : 0 <= t by rewrite subr_ge0 ler_pdivr_mulr// mulrCA -expr2.
have te : t <= eps * sigma / s - s / (2%:R * sigma).
  have cse : c * s <= eps * sigma by rewrite mulrC [eps * _]mulrC -ler_pdivr_mulr// mulrC.
  rewrite ler_add//; first by rewrite ler_pdivl_mulr.
  rewrite ler_opp2 ler_pdivr_mulr ?mulr_gt0// mulrAC mul1r ler_pdivl_mulr// mulrCA ler_wpmul2l// mulrC.
  by apply: (le_trans cse); rewrite ler_pimull// ltW.
move=> x y xy S mS; have := gaussian_noise_is_private sg s0 (ltW eps0) t0 sens te xy mS.
move=> h; apply: (le_trans h); rewrite lee_add2l// lee_fin.
have e2 : expR (1 / 2%:R) <= 2%:R :> R.
  rewrite -[leLHS]invrK -expRN -[leRHS]invrK lef_pinv ?posrE ?invr_gt0 ?expR_gt0//.
  apply: le_trans (expR_above_line _); rewrite ler_subr_addr mul1r.
  by rewrite -mulr2n -[_ *+ 2]mulr_natr mulVf// pnatr_eq0.
have dc : 5%:R / 4%:R * expR (- (c ^+ 2 / 2%:R)) <= delta.
  have p0 : 0 < 5%:R / 4%:R / delta by rewrite !divr_gt0.
  have e : 5%:R / 4%:R / delta <= expR (c ^+ 2 / 2%:R).
    by rewrite -(lnK p0) ler_expR ler_pdivl_mulr// mulrC ltW.
  by move: e; rewrite ler_pdivr_mulr// => e; rewrite expRN ler_pdivr_mulr ?expR_gt0// [delta * _]mulrC.
apply: (@le_trans _ _ (expR (- (c ^+ 2 / 2%:R)))); last first.
  by apply: le_trans dc; rewrite ler_pmull ?expR_gt0// ler_pdivl_mulr// mul1r ler_nat.
rewrite ler_pdivr_mulr//; apply: (@le_trans _ _ (expR (- (c ^+ 2 / 2%:R)) * expR (1 / 2%:R))); last first.
  by rewrite ler_pmul2l// expR_gt0.
rewrite -expRD ler_expR -subr_ge0.
have -> : - (c ^+ 2 / 2%:R) + 1 / 2%:R - - (t ^+ 2 / 2%:R) = (1 / (2%:R * c)) ^+ 2 / 2%:R.
  by rewrite /t; field; rewrite gt_eqF.
by rewrite divr_ge0// sqr_ge0.
Qed.

(* the noise of the dyadic sums: deviation sqrt(h+1) (z + sqrt(z^2 + 2 eps)) / (2 eps) *)
Definition dyadic_deviation (h : nat) (eps delta : R) : R :=
  let z := quantile_bound delta in Num.sqrt h.+1%:R * (z + Num.sqrt (z ^+ 2 + 2%:R * eps)) / (2%:R * eps).
Theorem dyadic_deviation_is_private (D : Type) (neighbours : D -> D -> Prop) n (q : D -> 'rV[R]_n) h (eps delta : R) :
  0 < eps -> 0 < delta -> delta <= 1 ->
  (forall x y, neighbours x y -> squared_norm (q x - q y) <= h.+1%:R) ->
  differentially_private neighbours eps (delta / 2%:R)
    (fun x => noisy (gaussian_noise (dyadic_deviation h eps delta)) (q x)).
Proof.
move=> eps0 d0 d1 sens; rewrite /dyadic_deviation -mulrA -/(root_deviation eps delta).
by apply: sufficient_deviation_is_private => // x y xy; rewrite sqr_sqrtr//; exact: sens.
Qed.
End gaussian.
