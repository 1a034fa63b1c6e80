(* Principal components of a matrix with positive semidefinite noise, for every size (wishart.theorem-6, theorem-7,
   theorem-9), and when the first components are determined (near-optimal definition-1, definition-2, utility-identity). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms projectors.
From DPMatrix.matrices Require Import subspace_perturbation sine_theorem.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section noisy_components.
Variable R : rcfType.
Variable d : nat.
Implicit Types (A B P Q W : 'M[R]_d) (a b c l : 'rV[R]_d) (x u v : 'cV[R]_d).

(* near-optimal.utility-identity. *)
Theorem utility_identity Q l A v (i0 : 'I_d) : spectrum Q l A ->
  form A v = l 0 i0 * dot (col i0 Q) v ^+ 2 + \sum_(i < d | i != i0) l 0 i * dot (col i Q) v ^+ 2.
Proof. by move=> S; rewrite (form_coordinates v S) (bigD1 i0). Qed.

(* near-optimal.definition-1+repair. *)
Theorem other_projectors_capture_less Q l A P (i j : 'I_d) :
  spectrum Q l A -> projector P -> i.+1 = j -> \tr P = j%:R -> l 0 j < l 0 i -> P != top_projector Q j ->
  \tr (A *m P) < \tr (A *m top_projector Q j).
Proof.
move=> S pP ij trP gap other; rewrite -subr_gt0 -linearB /= -mulmxBr.
apply: lt_le_trans (captured_less S pP ij trP); rewrite mulr_gt0 ?divr_gt0 ?subr_gt0 ?ltr0n //.
rewrite lt_def frobenius2_ge0 andbT; apply: contra other => /eqP f0.
rewrite eq_sym -subr_eq0; apply/eqP/matrixP => r s; rewrite [RHS]mxE; apply/eqP; rewrite -sqrf_eq0.
have rows q : 0 <= \sum_h (top_projector Q j - P) q h ^+ 2 by apply: sumr_ge0 => h _; exact: sqr_ge0.
move/eqP: f0; rewrite /frobenius2 psumr_eq0 // => /allP/(_ r (mem_index_enum r)) /=.
rewrite psumr_eq0 => [/allP/(_ s (mem_index_enum s))|h _] //; exact: sqr_ge0.
Qed.

(* near-optimal.definition-2+repair and wishart.definition-6+repair: the sign is all that is free. *)
Theorem correlation_is_determined Q l A u v (i0 : 'I_d) :
  spectrum Q l A -> (forall i, i != i0 -> l 0 i < l 0 i0) -> norm2 u = 1 -> A *m u = l 0 i0 *: u ->
  `|dot v u| = `|dot v (col i0 Q)|.
Proof.
move=> S gap u1 Au; have [QQ _ _] := S.
have off i : i != i0 -> dot (col i Q) u = 0.
  move=> /gap li; have : dot (col i Q) (A *m u) = l 0 i * dot (col i Q) u.
    by rewrite dot_mulr (spectrum_symmetric S) (eigenvector i S) dotZl.
  rewrite Au dotZr => /eqP; rewrite -subr_eq0 -mulrBl mulf_eq0 subr_eq0 => /orP[/eqP e|/eqP //].
  by move: li; rewrite e ltxx.
have c1 : dot (col i0 Q) u ^+ 2 = 1.
  by rewrite -u1 (norm2_coordinates u QQ) (bigD1 i0) //= big1 ?addr0 // => i /off ->; rewrite expr0n.
have uE : u = dot (col i0 Q) u *: col i0 Q.
  apply/eqP; rewrite -subr_eq0 -norm2_eq0 norm2D -scaleNr dotZr norm2Z sqrrN c1 mul1r norm2_col // u1 dotC.
  by apply/eqP; move: c1; rewrite (dotC u) => c1; rewrite mulNr -expr2 c1; ring.
rewrite {1}uE dotZr normrM; have -> : `|dot (col i0 Q) u| = 1; last by rewrite mul1r.
by apply/eqP; rewrite -(@eqr_expn2 _ 2) ?normr_ge0 // real_normK ?num_real // c1 expr1n.
Qed.

(* Noise that is semidefinite counts half. *)
Lemma shifted_noise W w x : semidefinite W -> spectral_bound W w ->
  `|form (W - (w / 2%:R)%:M) x| <= w / 2%:R * norm2 x.
Proof.
move=> W0 Ww; rewrite formB form_scalar ler_norml; apply/andP; split.
  by rewrite ler_subr_addr addNr.
rewrite ler_subl_addr -mulrDl -mulr2n -mulr_natr divfK ?pnatr_eq0 //.
by apply: le_trans (ler_norm _) (spectral_form x Ww).
Qed.

(* The distance of the projectors, squared, against the noise. *)
Theorem turned_by_noise (i j : 'I_d) QA a A QC c W w :
  spectrum QA a A -> spectrum QC c (A + W) -> semidefinite W -> spectral_bound W w -> i.+1 = j -> a 0 j < a 0 i ->
  frobenius (top_projector QA j - top_projector QC j) <= Num.sqrt (2%:R * j%:R) * (w / (a 0 i - a 0 j)).
Proof.
move=> SA SC W0 Ww ij gap; have [QQ _ _] := SA; have [QQC _ _] := SC; have jd : (j <= d)%N by exact: ltnW.
have [w0 _] := Ww; set P := top_projector QA j; set P' := top_projector QC j; set D := P - P'.
have pA := projector_top j QQ; have pC := projector_top j QQC.
have symD : symmetric D by rewrite /symmetric linearB /= pA.1 pC.1.
have low := captured_less SA pC ij (trace_top QQC jd).
have opt : \tr ((A + W) *m D) <= 0.
  by rewrite mulmxBr linearB /= subr_le0 (trace_top_spectrum _ SC) (captured_most SC pA (trace_top QQ jd) jd).
have [Q [l S]] := spectral_theorem symD; have [Q1 _ _] := S.
have trD : \tr D = 0 by rewrite linearB /= (trace_top QQ jd) (trace_top QQC jd) subrr.
have up : \tr (A *m D) <= w / 2%:R * \sum_h `|l 0 h|.
  move: opt; rewrite mulmxDl linearD /= -ler_subr_addr sub0r => /le_trans; apply.
  have -> : \tr (W *m D) = \tr (D *m (W - (w / 2%:R)%:M)).
    by rewrite [D *m (W - _)]mulmxBr [\tr (_ - _)]linearB /= mul_mx_scalar linearZ /= trD mulr0 subr0 mxtrace_mulC.
  rewrite (trace_spectrum _ S) -sumrN mulr_sumr; apply: ler_sum => h _.
  apply: le_trans (ler_norm _) _; rewrite normrN normrM [w / _ * _]mulrC.
  apply: ler_wpmul2l; first exact: normr_ge0.
  by have := shifted_noise (col h Q) W0 Ww; rewrite norm2_col // mulr1.
have few : (\sum_h `|l 0 h|) ^+ 2 <= 2%:R * j%:R * frobenius2 D.
  have count : (#|[pred h | (l 0 h != 0)%R]| <= j.*2)%N.
    apply: (few_eigenvalues (V := leading QA jd) (U := leading QC jd) (Q := Q)).
    by rewrite -!leadingE.
  have -> : \sum_h `|l 0 h| = \sum_h (l 0 h != 0)%:R * `|l 0 h|.
    by apply: eq_bigr => h _; case: eqVneq => [->|_]; rewrite ?normr0 ?mulr0 ?mul1r.
  apply: le_trans (sum_cauchy_schwarz _ _) _; rewrite (frobenius2_eigenvalues S).
  have -> : \sum_h `|l 0 h| ^+ 2 = \sum_h l 0 h ^+ 2 by apply: eq_bigr => h _; rewrite real_normK ?num_real.
  rewrite ler_wpmul2r ?sumr_ge0 // => [h _|]; first exact: sqr_ge0.
  move: count; rewrite -(ler_nat R) -natrM mul2n; apply: le_trans.
  rewrite -sum1_card natr_sum [X in _ <= X]big_mkcond /=; apply: ler_sum => h _.
  by rewrite inE; case: (l 0 h != 0); rewrite ?expr1n ?expr0n.
have g0 : 0 < a 0 i - a 0 j by rewrite subr_gt0.
have s0 : 0 <= \sum_h `|l 0 h| by apply: sumr_ge0.
have nuc : \sum_h `|l 0 h| <= Num.sqrt (2%:R * j%:R) * frobenius D.
  rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?mulr_ge0 ?sqrtr_ge0 ?frobenius_ge0 // exprMn frobenius_sqr.
  by rewrite sqr_sqrtr ?mulr_ge0 ?ler0n.
have [->|f0] := eqVneq (frobenius D) 0; first by rewrite mulr_ge0 ?sqrtr_ge0 // divr_ge0 // ltW.
have fp : 0 < frobenius D by rewrite lt_def f0 frobenius_ge0.
rewrite mulrA ler_pdivl_mulr // -(ler_pmul2r fp).
have half : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have alg1 (f g h : R) : f * g * f * h = g * h * f ^+ 2 by ring.
have alg2 (s q f h : R) : s * q * f * h = q * h * (s * f) by ring.
rewrite -(ler_pmul2r half) alg1 alg2 frobenius_sqr; apply: le_trans low _; apply: le_trans up _.
by rewrite ler_wpmul2l ?divr_ge0 ?ler0n.
Qed.

(* wishart.theorem-6, which prints 2 sqrt(k) for sqrt(2 k); its hypothesis on the gap is not used. *)
Corollary subspace_turned_by_wishart_noise (i j : 'I_d) QA a A QC c W w :
  spectrum QA a A -> spectrum QC c (A + W) -> semidefinite W -> spectral_bound W w -> i.+1 = j -> a 0 j < a 0 i ->
  frobenius (top_projector QA j - top_projector QC j) <= 2%:R * Num.sqrt j%:R * w / (a 0 i - a 0 j).
Proof.
move=> SA SC W0 Ww ij gap; have [w0 _] := Ww; apply: le_trans (turned_by_noise SA SC W0 Ww ij gap) _.
have g0 : 0 <= (a 0 i - a 0 j)^-1 by rewrite invr_ge0 subr_ge0 ltW.
rewrite -mulrA ler_wpmul2r ?mulr_ge0 // sqrtrM ?ler0n // ler_wpmul2r ?sqrtr_ge0 //.
by rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?sqrtr_ge0 ?ler0n // sqr_sqrtr ?ler0n // -natrX ler_nat.
Qed.

(* wishart.theorem-7, step squared-cosine: v and u are the first eigenvectors of A and of A + W. *)
Theorem squared_cosine (i j : 'I_d) QA a A QC c W w :
  spectrum QA a A -> spectrum QC c (A + W) -> semidefinite W -> spectral_bound W w -> i = 0%N :> nat -> j = 1%N :> nat ->
  a 0 j < a 0 i -> 1 - w / (a 0 i - a 0 j) <= dot (col i QA) (col i QC) ^+ 2.
Proof.
move=> SA SC W0 Ww i0 j1 gap; have [QQ _ _] := SA; have [QQC _ _] := SC; have [w0 _] := Ww.
have ij : i.+1 = j by rewrite i0 j1.
have g0 : 0 < a 0 i - a 0 j by rewrite subr_gt0.
have topE Q : top_projector Q j = outer (col i Q).
  rewrite /top_projector (bigD1 i) ?ltEnat /= ?i0 ?j1 // big1 ?addr0 // => h /andP[h1 hi].
  by case/eqP: hi; apply: val_inj; rewrite /= i0; move: h1; rewrite ?j1 ltnS leqn0 => /eqP.
have := turned_by_noise SA SC W0 Ww ij gap; set f := frobenius _; set r := w / _ => fr.
have r0 : 0 <= r by rewrite divr_ge0 // ltW.
have f2 : f ^+ 2 = 2%:R - dot (col i QA) (col i QC) ^+ 2 *+ 2.
  rewrite /f frobenius_sqr (frobenius2_projectors (projector_top j QQ) (projector_top j QQC)) !topE !trace_outer.
  by rewrite !norm2_col // -form_trace form_outer dotC; ring.
have [big|small] := lerP 1 r; first by apply: le_trans (sqr_ge0 _); rewrite subr_le0.
have sq : f ^+ 2 <= 2%:R * r ^+ 2.
  have e : (Num.sqrt (2%:R * j%:R) * r) ^+ 2 = 2%:R * r ^+ 2 by rewrite exprMn sqr_sqrtr ?mulr_ge0 ?ler0n // j1 mulr1.
  by rewrite -e !expr2; apply: ler_pmul => //; exact: frobenius_ge0.
have rr : r ^+ 2 <= r by rewrite expr2 -[X in _ <= X]mulr1 ler_wpmul2l // ltW.
rewrite ler_subl_addr -ler_subl_addl; apply: le_trans rr.
rewrite -(@ler_pmul2l _ 2%:R) ?ltr0n //; apply: le_trans sq; rewrite f2.
by rewrite mulrBr mulr1 mulr_natl.
Qed.

(* wishart.theorem-7, step twice-squared-sine. *)
Corollary twice_the_squared_sine (i j : 'I_d) QA a A QC c W w :
  spectrum QA a A -> spectrum QC c (A + W) -> semidefinite W -> spectral_bound W w -> i = 0%N :> nat -> j = 1%N :> nat ->
  a 0 j < a 0 i -> 2%:R - 2%:R * dot (col i QA) (col i QC) ^+ 2 <= 2%:R * w / (a 0 i - a 0 j).
Proof.
move=> SA SC W0 Ww i0 j1 gap; have := squared_cosine SA SC W0 Ww i0 j1 gap.
set c2 := dot _ _ ^+ 2 => low; have -> : 2%:R - 2%:R * c2 = 2%:R * (1 - c2) by ring.
by rewrite -mulrA ler_pmul2l ?ltr0n // ler_subl_addr -ler_subl_addl.
Qed.

(* wishart.theorem-7+repair; t is the bound d + 1 + sqrt(2 (d+1)(d+2) theta) + 2 d theta of Lemma 1, or any other. *)
Theorem top_eigenvector_of_wishart_release (i j : 'I_d) QA a A QC c W n eps rho t :
  spectrum QA a A -> spectrum QC c (A + W) -> semidefinite W -> i = 0%N :> nat -> j = 1%N :> nat -> a 0 j < a 0 i ->
  0 < n -> 0 < eps -> rho < 1 -> 3%:R * t / (2%:R * eps * (1 - rho ^+ 2) * (a 0 i - a 0 j)) <= n ->
  spectral_bound W (t * (3%:R / (2%:R * n * eps))) -> rho <= `|dot (col i QA) (col i QC)|.
Proof.
move=> SA SC W0 i0 j1 gap n0 e0 rho1 many Ww.
have [neg|pos] := lerP rho 0; first exact: le_trans neg (normr_ge0 _).
have g0 : 0 < a 0 i - a 0 j by rewrite subr_gt0.
have r0 : 0 < 1 - rho ^+ 2 by rewrite subr_gt0 expr_lt1 // ltW.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?normr_ge0 ?(ltW pos) // real_normK ?num_real //.
apply: le_trans (squared_cosine SA SC W0 Ww i0 j1 gap).
rewrite ler_subr_addl -ler_subr_addr ler_pdivr_mulr //.
have K0 : 0 < 2%:R * n * eps by rewrite !mulr_gt0 ?ltr0n.
rewrite mulrA ler_pdivr_mulr //.
have L0 : 0 < 2%:R * eps * (1 - rho ^+ 2) * (a 0 i - a 0 j) by rewrite !mulr_gt0 ?ltr0n.
move: many; rewrite ler_pdivr_mulr // mulrC => /le_trans; apply.
by have -> : n * (2%:R * eps * (1 - rho ^+ 2) * (a 0 i - a 0 j)) = (1 - rho ^+ 2) * (a 0 i - a 0 j) * (2%:R * n * eps) by ring.
Qed.

(* The k largest eigenvalues kept. *)
Definition truncated Q c k : 'M[R]_d := Q *m diag_mx (\row_i (if (i < k)%N then c 0 i else 0)) *m Q^T.

Lemma form_truncated_rest Q c A k x : spectrum Q c A ->
  form (A - truncated Q c k) x = \sum_(i < d | (k <= i)%N) c 0 i * dot (col i Q) x ^+ 2.
Proof.
move=> S; have -> : truncated Q c k = (Q^T)^T *m diag_mx (\row_i (if (i < k)%N then c 0 i else 0)) *m Q^T by rewrite trmxK.
rewrite formB (form_coordinates x S) form_congruence form_diag -sumrB.
rewrite [RHS]big_mkcond; apply: eq_bigr => i _; rewrite coordinate mxE ltnNge.
by case: (k <= i)%N => /=; rewrite ?mul0r ?subr0 ?subrr.
Qed.

(* k < d: j stands for k + 1, and t for the bound of Lemma 1. *)
Lemma low_rank_error QA a A QC c W t (j : 'I_d) :
  spectrum QA a A -> spectrum QC c (A + W) -> semidefinite A -> semidefinite W -> spectral_bound W t ->
  spectral_bound (A - truncated QC c j) (a 0 j + t).
Proof.
move=> SA SC A0 W0 Wt; have [QQ _ _] := SA; have [QQC CE dc] := SC; have [t0 _] := Wt.
have aj : 0 <= a 0 j by rewrite -(form_eigenvector j SA).
have symT : symmetric (A - truncated QC c j).
  by rewrite /symmetric linearB /= (spectrum_symmetric SA) /truncated !trmx_mul trmxK tr_diag_mx mulmxA.
apply: spectral_bound_form => // [|x]; first by rewrite addr_ge0.
have -> : A - truncated QC c j = (A + W - truncated QC c j) - W by rewrite addrAC addrK.
rewrite formB (form_truncated_rest j x SC).
have c0 i : 0 <= c 0 i by rewrite -(form_eigenvector i SC) formD addr_ge0.
have s0 : 0 <= \sum_(i < d | (j <= i)%N) c 0 i * dot (col i QC) x ^+ 2.
  by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?sqr_ge0.
have s1 : \sum_(i < d | (j <= i)%N) c 0 i * dot (col i QC) x ^+ 2 <= (a 0 j + t) * norm2 x.
  have cj : c 0 j <= a 0 j + t.
    by have := eigenvalue_shift j SA SC Wt; rewrite ler_norml => /andP[_]; rewrite ler_subl_addl.
  apply: le_trans (_ : c 0 j * norm2 x <= _); last by rewrite ler_wpmul2r ?norm2_ge0.
  rewrite (norm2_coordinates x QQC) mulr_sumr big_mkcond /=; apply: ler_sum => i _.
  by case: ifP => ji; [rewrite ler_wpmul2r ?sqr_ge0 ?dc | rewrite mulr_ge0 ?sqr_ge0].
have Wx := spectral_form x Wt; have Wx0 := W0 x; rewrite ger0_norm // in Wx.
rewrite ler_norml; apply/andP; split.
  rewrite ler_subr_addl; apply: le_trans s0; rewrite subr_le0; apply: le_trans Wx _.
  by rewrite ler_wpmul2r ?norm2_ge0 // ler_addr.
by rewrite ler_subl_addr ler_paddr.
Qed.

(* k = d. *)
Lemma full_rank_error A QC c W t : spectrum QC c (A + W) -> spectral_bound W t ->
  spectral_bound (A - truncated QC c d) t.
Proof.
move=> [_ CE _] Wt; have -> : truncated QC c d = A + W.
  by rewrite CE /truncated; congr (_ *m diag_mx _ *m _); apply/rowP => i; rewrite mxE ltn_ord.
by rewrite opprD addrA subrr sub0r; exact: spectral_boundN.
Qed.

(* wishart.theorem-9+repair; t stands for the bound of Lemma 1. *)
Theorem low_rank_approximation QA a A QC c W t k :
  spectrum QA a A -> spectrum QC c (A + W) -> semidefinite A -> semidefinite W -> spectral_bound W t ->
  (forall j : 'I_d, j = k :> nat -> spectral_bound (A - truncated QC c k) (a 0 j + t)) /\
  (k = d -> spectral_bound (A - truncated QC c k) t).
Proof.
move=> SA SC A0 W0 Wt; split=> [j <-|->]; first exact: low_rank_error SA SC A0 W0 Wt.
exact: full_rank_error SC Wt.
Qed.

End noisy_components.
