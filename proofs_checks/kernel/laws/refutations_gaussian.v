(* A Gaussian calibration whose standard deviation falls like 1/epsilon fails for every large epsilon: Theorem 2 of the
   Wishart document and the noise of SULQ, which bound no epsilon. Of the normal law only E exp(lambda Z) is used. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
Import GRing.Theory Num.Theory Order.TTheory.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import laws.differential_privacy laws.random_matrices laws.exponential_bound.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section large_epsilon.
Variables (R : realType) (dW : measure_display) (W : measurableType dW) (P : {measure set W -> \bar R}).
Hypothesis P1 : P setT = 1%E.
Variable Z : W -> R.
Hypothesis mZ : measurable_fun setT Z.
(* the moment generating function of a standard normal variate, or less *)
Hypothesis mgf : forall l : R, (\int[P]_w (expR (l * Z w))%:E <= (expR (l ^+ 2 / 2%:R))%:E)%E.

(* the answer to a query, and noise of standard deviation sigma *)
Definition noisy_answer (q sigma : R) : set R -> \bar R := image_law (fun w => q + sigma * Z w) P.

Lemma exponential_measurable l : measurable_fun setT (fun w => expR (l * Z w)).
Proof. by apply: measurable_fun_comp; [exact: measurable_expR | exact: measurable_funrM]. Qed.

(* Chernoff's bound: |l| a <= l z, l^2 = a^2 *)
Lemma chernoff (l a : R) (A : set W) : measurable A -> l ^+ 2 = a ^+ 2 -> (forall w, A w -> a ^+ 2 <= l * Z w) ->
  exists2 t : R, P A = t%:E & 0 <= t <= expR (- (a ^+ 2 / 2%:R)).
Proof.
move=> mA la Al; have pos : 0 < expR (a ^+ 2) by exact: expR_gt0.
have mB : measurable [set w | expR (a ^+ 2) <= expR (l * Z w)].
  have := exponential_measurable l measurableT (measurable_itv `[expR (a ^+ 2), +oo[); rewrite setTI.
  by rewrite (_ : _ @^-1` _ = [set w | expR (a ^+ 2) <= expR (l * Z w)]) //;
    apply/seteqP; split=> w /=; rewrite in_itv /= andbT.
have AB : (P A <= P [set w | (expR (a ^+ 2) <= expR (l * Z w))%R])%E.
  by apply: le_measure; rewrite ?inE // => w Aw /=; rewrite ler_expR Al.
have := markov_inequality P (exponential_measurable l) (fun w => ltW (expR_gt0 _)) pos.
move=> /le_trans/(_ (mgf l)); rewrite la => bound.
have : ((expR (a ^+ 2))%:E * P A <= (expR (a ^+ 2 / 2%:R))%:E)%E.
  by apply: le_trans bound; apply: lee_wpmul2l => //; rewrite lee_fin ltW.
have A0 : (0 <= P A)%E by exact: measure_ge0.
have A1 : (P A <= 1)%E by rewrite -P1; apply: le_measure; rewrite ?inE.
case: (P A) A0 A1 => [t| |] // t0 _; rewrite -EFinM lee_fin => b; exists t => //.
rewrite -lee_fin t0 /= -(ler_pmul2l pos) -expRD (le_trans b) // ler_expR le_eqVlt; apply/orP; left; apply/eqP.
by field.
Qed.

Lemma large_epsilon_is_not_private (kappa s eps delta : R) : 0 < kappa -> 0 < s -> delta < 1 -> 1 <= eps ->
  8%:R * kappa ^+ 2 * (1 + 2%:R / (1 - delta)) <= eps ->
  ~ indistinguishable eps delta (noisy_answer s (kappa * s / eps)) (noisy_answer 0 (kappa * s / eps)).
Proof.
move=> k0 s0 d1 e1 big; have e0 : 0 < eps by exact: lt_le_trans e1.
pose sigma := kappa * s / eps; have sg0 : 0 < sigma by rewrite divr_gt0 ?mulr_gt0.
pose a := eps / (2%:R * kappa).
have a0 : 0 < a by rewrite divr_gt0 // mulr_gt0 ?ltr0n.
have half : s / 2%:R = sigma * a by rewrite /sigma /a; field; rewrite !gt_eqF.
have mE (c : R) : measurable [set w | c <= Z w].
  have := mZ measurableT (measurable_itv `[c, +oo[); rewrite setTI.
  by rewrite (_ : _ @^-1` _ = [set w | c <= Z w]) //; apply/seteqP; split=> w /=; rewrite in_itv /= andbT.
have mS : measurable (`[s / 2%:R, +oo[%classic : set R) by exact: measurable_itv.
have [|w|t tE /andP[t0 tb]] := @chernoff a a [set w | a <= Z w] _ erefl _.
- exact: mE.
- by move=> /= aw; rewrite expr2 ler_pmul2l.
have mN : measurable (~` [set w | - a <= Z w]) by exact/measurableC/mE.
have [|w|u uE /andP[u0 ub]] := @chernoff (- a) a (~` [set w | - a <= Z w]) mN _ _.
- by rewrite sqrrN.
- by move=> /= /negP; rewrite -ltNge => zw; rewrite mulNr -mulrN expr2 ler_pmul2l // ler_oppr ltW.
have law0 : noisy_answer 0 sigma `[s / 2%:R, +oo[%classic = t%:E.
  rewrite /noisy_answer /image_law (_ : _ @^-1` _ = [set w | a <= Z w]) //.
  by apply/seteqP; split=> w; rewrite /= in_itv /= andbT add0r half ler_pmul2l.
have law1 : noisy_answer s sigma `[s / 2%:R, +oo[%classic = (1 - u)%:E.
  have -> : noisy_answer s sigma `[s / 2%:R, +oo[%classic = P [set w | - a <= Z w].
    have e w : (s / 2%:R <= s + sigma * Z w) = (- a <= Z w).
      by rewrite -(ler_pmul2l sg0 (- a)) mulrN -half -ler_subl_addl; congr (_ <= _); field.
    rewrite /noisy_answer /image_law (_ : _ @^-1` _ = [set w | - a <= Z w]) //.
    by apply/seteqP; split=> w; rewrite /= in_itv /= andbT e.
  set B := [set w | - a <= Z w] in mN uE *.
  have : (P (B `|` ~` B) = P B + P (~` B))%E by apply: measureU; rewrite ?setICr //; exact: mE.
  rewrite setUv P1 uE; case: (P B) => [y| |] //; rewrite -EFinD => -[->]; congr EFin.
  by rewrite addrK.
move=> /(_ _ mS); rewrite -/sigma law0 law1 -EFinM -EFinD lee_fin => le.
pose L := 2%:R / (1 - delta); have L0 : 0 < L by rewrite divr_gt0 ?ltr0n // subr_gt0.
have enough : eps + L <= a ^+ 2 / 2%:R.
  have -> : a ^+ 2 / 2%:R = eps * (eps / (8%:R * kappa ^+ 2)) by rewrite /a; field; rewrite gt_eqF.
  apply: (@le_trans _ _ (eps * (1 + L))).
    by rewrite mulrDr mulr1 ler_add2l ler_pmull.
  by rewrite ler_pmul2l // ler_pdivl_mulr ?mulr_gt0 ?exprn_gt0 ?ltr0n // mulrC.
have small : expR (- L) < (1 - delta) / 2%:R.
  rewrite expRN -[ltRHS]invrK ltf_pinv ?posrE ?expR_gt0 ?invr_gt0 ?divr_gt0 ?subr_gt0 ?ltr0n // invf_div -/L.
  by apply: lt_le_trans (expR_above_line L); rewrite ltr_addr.
have uL : u <= expR (- L).
  by apply: (le_trans ub); rewrite ler_expR ler_opp2 (le_trans _ enough) // ler_addr ltW.
have tL : expR eps * t <= expR (- L).
  apply: (le_trans (ler_wpmul2l (ltW (expR_gt0 eps)) tb)).
  by rewrite -expRD ler_expR ler_subl_addr addrC -ler_subl_addr opprK.
have : 1 - delta <= expR (- L) + expR (- L).
  rewrite ler_subl_addr; apply: (@le_trans _ _ (u + (expR eps * t + delta))); first by rewrite -ler_subl_addl.
  by rewrite addrA ler_add2r ler_add.
rewrite leNgt => /negP; apply; have := ltr_add small small.
by have -> : (1 - delta) / 2%:R + (1 - delta) / 2%:R = 1 - delta by field.
Qed.

Definition least_epsilon (kappa delta : R) : R := Num.max 1 (8%:R * kappa ^+ 2 * (1 + 2%:R / (1 - delta))).

(* a query with the answers 0 and s on neighbours, and sigma = kappa s / epsilon *)
Theorem gaussian_calibration_fails (kappa s eps delta : R) : 0 < kappa -> 0 < s -> delta < 1 ->
  least_epsilon kappa delta <= eps ->
  ~ indistinguishable eps delta (noisy_answer s (kappa * s / eps)) (noisy_answer 0 (kappa * s / eps)).
Proof. by move=> k0 s0 d1; rewrite /least_epsilon le_maxl => /andP[e1 big]; exact: large_epsilon_is_not_private. Qed.
End large_epsilon.

(* SULQ: A = sum x x'/n and Gaussian noise on all entries; one record e_i or 0, the other records 0 *)
Section sulq.
Variables (R : realType) (dW : measure_display) (W : measurableType dW) (P : {measure set W -> \bar R}).
Hypothesis P1 : P setT = 1%E.
Variables (d : nat) (N : W -> 'M[R]_d) (i : 'I_d).
Hypothesis mN : forall a b, measurable_fun setT (fun w => N w a b).
Hypothesis mgf : forall l : R, (\int[P]_w (expR (l * N w i i))%:E <= (expR (l ^+ 2 / 2%:R))%:E)%E.

(* the square root of 8 d^2 log^2(d/delta)/(n^2 eps^2) is sulq_constant/n/eps *)
Definition sulq_constant (delta : R) : R := Num.sqrt 8%:R * d%:R * ln (d%:R / delta).
Definition second_moment n (x : 'M[R]_(n, d)) : 'M[R]_d := n%:R^-1 *: (x^T *m x).
Definition sulq_law (sigma : R) n (x : 'M[R]_(n, d)) : set (matrix_output R d d) -> \bar R :=
  image_law (fun w => second_moment x + sigma *: N w : matrix_output R d d) P.

Theorem sulq_fails_for_large_epsilon (n : nat) (eps delta : R) : 0 < delta -> delta < 1 ->
  least_epsilon (sulq_constant delta) delta <= eps ->
  ~ indistinguishable eps delta (sulq_law (sulq_constant delta / n.+1%:R / eps) (delta_mx 0 i : 'M[R]_(n.+1, d)))
                                (sulq_law (sulq_constant delta / n.+1%:R / eps) (0 : 'M[R]_(n.+1, d))).
Proof.
move=> p0 d1 big private; have d0 : (0 < d)%N by case: d i => // -[].
have k0 : 0 < sulq_constant delta.
  rewrite /sulq_constant !mulr_gt0 ?sqrtr_gt0 ?ltr0n // ln_gt0 // ltr_pdivl_mulr // mul1r.
  by apply: (lt_le_trans d1); rewrite ler1n.
have s0 : 0 < n.+1%:R^-1 :> R by rewrite invr_gt0 ltr0n.
apply: (@gaussian_calibration_fails _ _ _ P P1 _ (mN i i) mgf _ _ _ _ k0 s0 d1 big) => S mS.
have mE : measurable [set C : matrix_output R d d | S ((C : 'M[R]_d) i i)].
  by have := @entry_measurable R d d i i measurableT S mS; rewrite setTI.
have := private _ mE; set sigma := sulq_constant delta / _ / eps.
have entry (x : 'M[R]_(n.+1, d)) q : second_moment x i i = q ->
    sulq_law sigma x [set C : matrix_output R d d | S ((C : 'M[R]_d) i i)] = noisy_answer P (fun w => N w i i) q sigma S.
  move=> xq; rewrite /sulq_law /noisy_answer /image_law; congr (P _).
  by apply/seteqP; split=> w /=; rewrite !mxE -xq /second_moment !mxE.
rewrite (entry _ n.+1%:R^-1) ?(entry _ 0) //.
  by rewrite /second_moment mulmx0 scaler0 mxE.
rewrite /second_moment mxE mxE (bigD1 0) //= big1 => [|k k0']; first by rewrite !mxE !eqxx addr0 !mulr1.
by rewrite !mxE (negbTE k0') mul0r.
Qed.
End sulq.
