(* The dyadic sums of a stream, all released with Gaussian noise: one row lies in one block of each length, so that all
   sums together keep the guarantee of h + 1 of them, and so does all that is computed from them. For the repairs of
   theorems 3, 14, 17 and 18 and of lemma 3 of sliding-window, for every length d of a row, number of rows and h. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise gaussian_noise second_moment noisy_moments.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section dyadic.
Variables (R : realType) (d T h : nat).
Notation stream := ('I_T -> 'rV[R]_d).

(* one row of norm at most 1 is replaced by the zero row, in either order *)
Definition row_zeroed (X Y : stream) : Prop := exists j : 'I_T, (forall t, t != j -> X t = Y t) /\
  ((Y j = 0 /\ squared_norm (X j) <= 1) \/ (X j = 0 /\ squared_norm (Y j) <= 1)).

(* the sum of level l and number b: the rows t with t / 2^l = b *)
Definition block_sum (X : stream) (l b : nat) : 'M[R]_d := \sum_(t < T | (t %/ 2 ^ l == b)%N) outer (X t).
(* all sums of the levels 0 to h, as one vector of upper triangles *)
Definition coordinate := ('I_h.+1 * 'I_T.+1 * 'I_(triangle_size d))%type.
Definition all_sums (X : stream) : 'rV[R]_#|{: coordinate}| :=
  \row_k let u : coordinate := enum_val k in triangle (block_sum X u.1.1 u.1.2) 0 u.2.

Lemma all_sums_change (X Y : stream) (j : 'I_T) : (forall t, t != j -> X t = Y t) -> Y j = 0 ->
  squared_norm (X j) <= 1 -> squared_norm (all_sums X - all_sums Y) <= h.+1%:R.
Proof.
move=> same Y0 X1; have change l b : triangle (block_sum X l b) - triangle (block_sum Y l b) =
    (if (j %/ 2 ^ l == b)%N then triangle (outer (X j)) else 0).
  rewrite -triangleB /block_sum -sumrB.
  have -> : \sum_(t < T | (t %/ 2 ^ l == b)%N) (outer (X t) - outer (Y t)) =
      (if (j %/ 2 ^ l == b)%N then outer (X j) else 0).
    rewrite big_mkcond (bigD1 j)//= [X in _ + X]big1 ?addr0 => [|t tj]; last by rewrite same// subrr if_same.
    by rewrite Y0 (_ : outer 0 = 0) ?subr0// /outer mulmx0.
  by case: ifP => // _; apply/rowP => k; rewrite !mxE.
have zero : triangle (0 : 'M[R]_d) = 0 by apply/rowP => k; rewrite !mxE.
pose F (u : coordinate) := ((if (j %/ 2 ^ u.1.1 == u.1.2)%N then triangle (outer (X j)) else 0) 0 u.2) ^+ 2.
have -> : squared_norm (all_sums X - all_sums Y) = \sum_(u : coordinate) F u.
  rewrite (reindex (@enum_val [finType of coordinate] predT)) /=; last by apply: onW_bij; exact: enum_val_bij.
  by apply: eq_bigr => k _; rewrite /F -change !mxE /= !mxE.
rewrite -(pair_big predT predT (fun lb k => F (lb, k))) /= -(pair_big predT predT (fun l b => \sum_k F (l, b, k))) /=.
rewrite -[h.+1 in leRHS]card_ord -sumr_const; apply: ler_sum => l _.
have jb : (j %/ 2 ^ l < T.+1)%N by rewrite ltnS (leq_trans (leq_div _ _))// ltnW.
rewrite (bigD1 (Ordinal jb))//= [X in _ + X]big1 => [|b nb]; last first.
  rewrite big1// => k _; rewrite /F /= ifN ?mxE ?expr0n//.
  by apply: contraNneq nb => e; apply/eqP/val_inj.
rewrite addr0 /F /= eqxx; apply: (le_trans (triangle_frobenius _)); rewrite frobenius_outer.
by rewrite expr_le1// squared_norm_ge0.
Qed.

Theorem dyadic_sensitivity (X Y : stream) : row_zeroed X Y -> squared_norm (all_sums X - all_sums Y) <= h.+1%:R.
Proof.
move=> [j [same [[Y0 X1]|[X0 Y1]]]]; first exact: (all_sums_change same Y0 X1).
rewrite -squared_normN opprB; apply: (all_sums_change _ X0 Y1) => t tj; exact/esym/same.
Qed.

(* all sums together; the deviation is sqrt(h+1) (z + sqrt(z^2 + 2 eps)) / (2 eps), z = sqrt(2 log(1/delta)) *)
Theorem dyadic_sums_are_private (eps delta : R) : 0 < eps -> 0 < delta -> delta <= 1 ->
  differentially_private row_zeroed eps delta
    (fun X => noisy (gaussian_noise (dyadic_deviation h eps delta)) (all_sums X)).
Proof.
move=> eps0 d0 d1 X Y xy; apply: (@indistinguishable_weaker _ _ _ eps _ (delta / 2%:R)) => //.
- by move=> S; apply: noisy_ge0 => x; exact: gaussian_ge0.
- by rewrite ler_pdivr_mulr// ler_pmulr// ler1n.
- exact: (dyadic_deviation_is_private eps0 d0 d1 dyadic_sensitivity xy).
Qed.

(* time stamps, comparisons, windows and outputs of all times: all that is computed from the sums *)
Theorem published_windows_are_private d2 (U : measurableType d2) (f : space R #|{: coordinate}| -> U) (eps delta : R) :
  measurable_fun setT f -> 0 < eps -> 0 < delta -> delta <= 1 ->
  differentially_private row_zeroed eps delta
    (fun X => image_law f (noisy (gaussian_noise (dyadic_deviation h eps delta)) (all_sums X))).
Proof. by move=> mf eps0 d0 d1; apply: post_processing => //; exact: dyadic_sums_are_private. Qed.
End dyadic.
